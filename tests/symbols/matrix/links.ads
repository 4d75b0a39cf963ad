--  SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
--  chain.c in Ada.
package Links is
   procedure Chainleaf;
   procedure Chaininner (Times : Integer);
   procedure Chainmiddle;
   procedure Chainouter;
   procedure Chain_Start;
   pragma Export (C, Chain_Start, "chain_start");
end Links;
