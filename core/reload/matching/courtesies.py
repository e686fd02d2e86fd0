"""What people say around a command that means nothing."""

from __future__ import annotations

from typing import Final

from core.reload.matching.vocabulary import sequences

LEADING: Final = sequences("""
please
pls
kindly
bitte
por favor
per favore
merci de
hello
hey
hi
ok
okay
alright
well
so
now
just
simply
quickly
can you
could you
would you
will you
can we
could we
shall we
do you think you could
would it be possible to
would it be possible for you to
would you be so kind as to
would you be so kind to
would you be able to
be so kind as to
i was wondering if you could
i wonder if you could
i would be grateful if you could
it would be great if you could
it would be nice if you could
i would love to
i would love you to
i would like us to
i want us to
i am going to need you to
we need to
we want to
we have to
we should
we would like to
may i ask you to
could i ask you to
can i ask you to
can i get you to
could i get you to
do me a favour and
please be so kind as to
do you mind
when you get a chance
when you have a moment
when you have a minute
as usual
as always
like last time
as last time
like before
as before
hi there
hello there
hey there
good morning
thanks
s'il te plaît
s'il te plait
s'il vous plaît
s'il vous plait
svp
stp
bonjour
hallo
can you please
could you please
would you please
i want to
i want you to
i would like to
i would like you to
i need to
i need you to
i wish to
i have to
let us
go ahead and
do me a favor and
would you mind
could you possibly
you should
you can
i would appreciate it if you could
if you could
if possible
time to
it is time to
once again
again
once more
""")
"""What may stand before a command and means nothing."""

TRAILING: Final = sequences("""
please
pls
bitte
danke
por favor
gracias
per favore
grazie
merci
thanks
thank you
thanks a lot
thank you very much
thanks very much
thanks so much
thank you so much
thank you in advance
thanks in advance
many thanks
much appreciated
danke schön
danke dir
vielen dank
besten dank
merci beaucoup
merci d'avance
s'il te plaît
s'il te plait
s'il vous plaît
s'il vous plait
svp
stp
ta
thx
cheers
for me
again
once again
once more
one more time
now
right now
real quick
real fast
very quickly
right away
immediately
quickly
asap
as soon as possible
will you
would you
could you
can you
will you please
would you please
could you please
can you please
if possible
if it is possible
if you can
if you could
if you would
if you do not mind
if that is ok
if that is okay
if it is no trouble
if it is not too much trouble
at your convenience
whenever you can
whenever you have time
whenever you get a chance
when you can
when you have time
when you have a moment
when you get a chance
when you get the chance
when you get a moment
when you get a minute
when you have a minute
when you have a second
when you have a chance
when you find time
when you find the time
when you are free
once you have time
as before
like before
just like before
same as before
the same as before
as usual
as always
like always
like usual
as per usual
as ever
the usual way
like last time
as last time
like the last time
just like last time
same as last time
the same as last time
like we did last time
as we did last time
like you did last time
as you did last time
the way you did last time
the way we did last time
""")
"""What may stand behind a command and means nothing."""
