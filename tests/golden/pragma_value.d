#pragma D option strsize=banana
#pragma D option nosuchoption
BEGIN { exit(0); }
