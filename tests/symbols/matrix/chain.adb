--  SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
with Links;
procedure Chain is
begin
   Links.Chain_Start;
end Chain;
