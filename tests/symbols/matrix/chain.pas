{ SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause }
{ chain.c in Pascal. }
{$ifdef LIBRARY} library chain; {$else} program chain; {$endif}
{$Q-} {$R-}
{$ifdef LIBC} {$linklib c} {$endif}
var
  stopped, counted: longword;

procedure chainleaf;
begin
  while stopped = 0 do
    counted := counted + 1;
end;

procedure chaininner(times: integer);
begin
  if times > 1 then
    chaininner(times - 1)
  else
    chainleaf;
  counted := counted + 1;
end;

procedure chainmiddle;
begin
  chaininner(3);
  counted := counted + 1;
end;

procedure chainouter;
begin
  chainmiddle;
  counted := counted + 1;
end;

procedure chain_start; cdecl;
begin
  chainouter;
  counted := counted + 1;
end;

{$ifdef LIBRARY}
exports
  chain_start;
begin
end.
{$else}
begin
  chain_start;
end.
{$endif}
