--  SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
package body Links is
   type Number is mod 2 ** 32;
   Stop, Counted : Number := 0;
   pragma Volatile (Stop);
   pragma Volatile (Counted);

   procedure Chainleaf is
   begin
      while Stop = 0 loop
         Counted := Counted + 1;
      end loop;
   end Chainleaf;

   procedure Chaininner (Times : Integer) is
   begin
      if Times > 1 then
         Chaininner (Times - 1);
      else
         Chainleaf;
      end if;
      Counted := Counted + 1;
   end Chaininner;

   procedure Chainmiddle is
   begin
      Chaininner (3);
      Counted := Counted + 1;
   end Chainmiddle;

   procedure Chainouter is
   begin
      Chainmiddle;
      Counted := Counted + 1;
   end Chainouter;

   procedure Chain_Start is
   begin
      Chainouter;
      Counted := Counted + 1;
   end Chain_Start;
end Links;
