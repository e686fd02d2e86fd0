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
thx
cheers
for me
again
once again
once more
one more time
now
right now
right away
immediately
quickly
asap
as soon as possible
will you
would you
could you
can you
if possible
if you can
if you could
if you would
if you do not mind
when you can
when you have time
when you have a moment
when you get a chance
as before
like before
as usual
as always
like last time
as last time
""")
"""What may stand behind a command and means nothing."""
