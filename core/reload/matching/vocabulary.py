"""Which words mean the same to somebody who uses a program, which mean nothing, and which change everything.

A wrong synonym is a wrong replay: here stands only what nobody says meaning something different.
"""

from __future__ import annotations

from typing import Final

ARTICLES: Final = frozenset({"the", "a", "an"})


def classes(table: str) -> dict[str, str]:
    """Each word of a table to the first of its line."""
    return {word: line.split()[0] for line in table.strip().splitlines() for word in line.split()}


def _phrases(table: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What follows one another to what it is the same as, a line each: ``bring up = open``."""
    rows = (line.split("=") for line in table.strip().splitlines())
    return {_without_articles(left): tuple(right.split()) for left, right in rows}


def _expansions(table: str) -> dict[str, tuple[str, ...]]:
    return {key[0]: words for key, words in _phrases(table).items()}


def sequences(table: str) -> frozenset[tuple[str, ...]]:
    """What follows one another, a line each, without articles."""
    return frozenset(_without_articles(line) for line in table.strip().splitlines())


def words(table: str) -> frozenset[str]:
    """Those of a table."""
    return frozenset(table.split())


def _without_articles(words: str) -> tuple[str, ...]:
    return tuple(word for word in words.split() if word not in ARTICLES)


CONTRACTIONS: Final = _expansions("""
i'd = i would
i'll = i will
i'm = i am
i've = i have
let's = let us
don't = do not
dont = do not
doesn't = does not
didn't = did not
can't = can not
cannot = can not
won't = will not
wouldn't = would not
shouldn't = should not
couldn't = could not
isn't = is not
aren't = are not
what's = what is
where's = where is
who's = who is
how's = how is
it's = it is
that's = that is
there's = there is
here's = here is
you're = you are
we're = we are
you'd = you would
wanna = want to
gimme = give me
gotta = have to
""")

VERB_CLASSES: Final = classes("""
open show view launch visit see
search
delete remove erase
close shut
quit exit
type input enter
click tap
press hit
select choose pick
create make
enable activate
disable deactivate
refresh reload
restart reboot
buy purchase
book reserve
begin start
resume continue
reply respond
write compose
increase raise
decrease lower reduce
email mail e-mail
schedule arrange
cancel abort
check tick
uncheck untick
edit modify
decline reject
sync synchronize synchronise
give grant
maximize maximise
minimize minimise
organize organise
""")
"""What a command begins with, one word each; the first is the form of all of them."""

NOUN_CLASSES: Final = classes("""
email mail e-mail
emails mails e-mails
doc document
docs documents
photo picture pic
photos pictures pics
app application
apps applications
folder directory
folders directories
website site
settings preferences prefs
message msg
messages msgs
cart basket
trash bin
username user-name
dropdown drop-down
checkbox check-box tickbox
homepage home-page
color colour
colors colours
center centre
gray grey
favorite favourite
favorites favourites
catalog catalogue
dialog dialogue
canceled cancelled
phone telephone
tv television
info information
biggest largest
smallest tiniest
""")
"""The same of what it is about, unless it is the name of something."""

LINKS: Final = classes("""
named called titled entitled
saying says
in into inside within
on onto upon
about regarding concerning
until till
""")
"""The same of what joins them."""

VERB_PHRASES: Final = _phrases("""
bring up = open
pull up = open
open up = open
fire up = open
go to = open
go over to = open
go into = open
navigate to = open
browse to = open
head to = open
head over to = open
take me to = open
bring me to = open
get me to = open
show me = open
let me see = open
look at = open
take a look at = open
have a look at = open
give me = open
look for = search for
look up = search for
find = search for
locate = search for
search for = search for
search about = search for
do a search for = search for
run a search for = search for
do a web search for = search web for
search online for = search web for
click on = click
tap on = click
press on = press
turn on = enable
turn off = disable
switch on = enable
switch off = disable
turn up = increase
turn down = decrease
get rid of = delete
throw away = delete
throw out = delete
call off = cancel
print out = print
draft = write
phone = call
ring = call
send out = send
send off = send
log in to = login to
log into = login to
log on to = login to
log in = login
log on = login
sign in to = login to
sign into = login to
sign in = login
log out of = logout from
log out from = logout from
log out = logout
log off = logout
sign out of = logout from
sign out from = logout from
sign out = logout
fill in = fill
fill out = fill
type in = type
key in = type
answer = reply to
answer to = reply to
respond to = reply to
""")
"""What a command begins with in several words, articles aside."""

PHRASES: Final = _phrases("""
web site = website
web page = webpage
e mail = email
user name = username
drop down = dropdown
check box = checkbox
home page = homepage
recycle bin = trash
trash can = trash
text field = textbox
text box = textbox
input field = textbox
screen brightness = brightness
day after tomorrow = day-after-tomorrow
day before yesterday = day-before-yesterday
""")
"""What it is about in several words."""

LINK_PHRASES: Final = _phrases("""
that says = saying
which says = saying
with the text = saying
with text = saying
with the name = named
with name = named
by the name of = named
with the title = named
that are = being
which are = being
that is = being
which is = being
""")
"""What joins them in several words."""

NAMING: Final = frozenset({"named", "called", "titled", "entitled"})
CLICKING: Final = frozenset(
    {"click", "press", "select", "double-click", "right-click", "check", "uncheck", "tick", "untick"}
)
"""What follows these is the name of something on the screen: it stands for itself."""

LOOKING: Final = "look"
"""What is to be seen and nothing else, however that is said."""
VIEWING: Final = frozenset({"open", "search", LOOKING})
KNOWN: Final = words("""
status balance balances price prices weather forecast news score scores availability orders inbox calendar agenda number
address deadline total rate traffic timetable
""")
"""What is nothing but told: "what is the price", "look up the price" and "show the price" are the same."""
CHECKED: Final = words("""
status balance balances price prices weather forecast news score scores availability inbox calendar agenda traffic
""")
"""Of it what nobody ticks or verifies who says "check the weather"."""
LOOKED_UP: Final = sequences("""
what is
what are
what is in
what is on
tell me
see
read me
get
get me
list
list me
""")
"""What else begins a question for what is only told."""
ROUTINES: Final = frozenset({"workflow", "task", "routine", "macro", "procedure"})
"""What has a name and is run."""
RUNNING: Final = frozenset({"run", "do", "execute", "replay", "perform", "rerun", "redo", "repeat"})
FORMATS: Final = words("pdf csv xlsx xls excel json html png jpg jpeg docx txt xml")
"""What is exported "to" these is exported "as" them."""
PIECES: Final = frozenset({"page", "pages", "slide", "slides", "chapter", "chapters", "section", "sections"})
"""Of a document: "the contract, page 4" is "page 4 of the contract"."""

VERBS: Final = words("""
open find search delete close quit type click press select create enable disable refresh restart buy book begin reply
write increase decrease email message login logout fill save send move copy paste cut rename print upload download
export import share archive forward submit schedule set change update switch turn check uncheck tick untick mark add
put go scroll zoom drag drop play pause stop resume cancel confirm approve reject accept decline pay order call text
enter run execute install uninstall log sign sort filter group merge split join leave start invite assign unassign
lock unlock mute unmute pin unpin star unstar like unlike follow unfollow block unblock hide unhide expand collapse
maximize minimize resize attach detach insert replace edit modify undo redo reset clear empty format convert compare
calculate compute transfer withdraw deposit tell ask say read give get take make do try test verify validate wait
navigate draft post publish unpublish tag label comment subscribe unsubscribe register remind note empty restore look
pick choose bring
""")
"""What a clause may begin with."""

FREE_TEXT: Final = frozenset({"type", "search", "write", "saying", "named", "say", "fill"})
"""Whatever follows these may be any words."""

GIVING: Final = words("send give forward offer tell email message text pay assign write transfer")
"""Verbs of two objects: "send bob the report"."""

PREPOSITIONS: Final = words("""
to from in on at for of about with by as under over above below behind between before after until since during near
without against through via using except off than per like toward towards across along around beside beyond despite
""")
MOVABLE: Final = frozenset({"to", "about", "at", "until", "since"})
"""Their phrases stand in any order: they belong to the verb."""

COORDINATORS: Final = frozenset({"and", "or", "then", "but", "nor", "plus"})
PERSONAL: Final = words("""
orders password timeline dashboard feed wishlist spam outbox drafts
status list cart basket notes documents photos bookmarks favorites playlist music
inbox calendar email emails mailbox settings profile desktop downloads browser computer screen laptop contacts
microphone speakers headphones camera webcam
""")
"""Of these a person has one alone: "my inbox" is "the inbox"."""

PRESENT: Final = frozenset({"document", "page", "window", "form", "screen", "app"})
"""Of these the one before one's eyes is meant: "this page" is "the page"."""

HARD: Final = (
    words("""
not no never none nothing nobody nowhere neither nor without except instead but unless if when while because although
all only every each any both either some many much most more less least fewer few several enough everything everyone
everybody anything anyone anybody something someone somebody else other others another same different i me my mine we
us our ours you your yours he him his she her hers it its they them their theirs this that these those who whom whose
which what where why how is are was were be been being am do does did done has have had having can could will would
shall should may might must here there then now again also too very just already still yet always often sometimes once
twice up down left right forward backward forwards backwards out away back yes later soon sooner earlier afterwards
beforehand eventually immediately tonight quietly together everywhere elsewhere anywhere somewhere please pls thanks
""")
    | PREPOSITIONS
    | COORDINATORS
    | ARTICLES
)
"""What changes the meaning of what stands around it: never a part of a value that is not in quotes."""

PLAIN: Final = words("""
new old draft last latest first final next previous current recent oldest newest older newer top bottom middle main
default primary secondary temporary permanent public private shared hidden visible archived deleted unread read sent
received open closed empty full big small large little long short high low good bad best worst red green blue yellow
black white orange purple daily weekly monthly quarterly yearly annual total partial whole entire half double single
multiple selected unselected checked active inactive enabled disabled online offline internal external local remote
global personal official unofficial approved rejected pending unpaid paid overdue signed unsigned real fake live test
file files folder folders document documents doc docs page pages tab tabs window windows app apps account accounts
user users contact contacts customer customers client clients group groups team teams project projects task tasks
issue issues ticket tickets message messages email emails mail chat chats conversation thread inbox outbox spam trash
drafts history settings options menu toolbar sidebar panel button link icon field box checkbox form table row rows
column columns cell cells sheet chart list item items entry entries record records report reports invoice invoices
order orders cart product products photo photos picture image images video videos song songs album playlist calendar
event events meeting meetings appointment reminder reminders note notes comment comments label labels tag tags branch
repository repo commit database server backup backups password username address phone number name title subject body
text date time year month week day today tomorrow yesterday tonight morning afternoon evening night noon midnight
version copy original desktop computer screen browser bookmark bookmarks download downloads upload profile permission
permissions cookie cookies cache data log logs error errors warning notification notifications attachment attachments
button dialog popup dropdown webpage website homepage line lines word words character paragraph section chapter part
volume brightness sound wifi bluetooth mode theme dark light manager boss admin administrator owner member members
hello hi hey bye thanks sorry congratulations
permanently forever completely immediately entirely automatically manually everywhere
""")
"""Everyday words of programs: where a name stood, one of these means something of another kind."""

QUESTIONS: Final = words("""
how what why when where who which whose is are does did has should
""")
