"""Words that people use for one another when they speak of what they did on a screen.

A small general thesaurus of verbs and things of graphical interfaces. Several words make a phrase. It is no part of
any data set, and a word that is missing costs an answer its confidence, not its place.
"""

import functools
from typing import Final

from core.recall.terms import STOP_WORDS, terms_of

Phrase = tuple[str, ...]
"""The terms of a word, or of several that must follow one another."""

_ALIKE: Final = """
add, create, new, make, insert
delete, remove, erase, trash, discard, get rid of
change, edit, update, modify, adjust, alter, set, switch
rename, change the name, retitle
choose, select, pick
open, launch, start, run
close, quit, exit
sign in, log in, login, signin, log on
sign out, log out, logout, log off
sign up, register, create account
enable, turn on, switch on, activate
disable, turn off, switch off, deactivate
save, store, keep
cancel, abort, stop
undo, revert, roll back, restore
copy, duplicate, clone
move, drag, relocate
send, share, submit, mail
share, publish, invite
publish, deploy, release, ship
upload, attach, import
download, export
search, find, look up, filter, query
buy, purchase, order, checkout, pay
pay, payment, card
book, reserve, reservation, booking
install, set up, setup
uninstall, remove
configure, configuration, settings, preferences, options, setup
connect, link, pair, join
disconnect, unlink, unpair
block, ban, mute
mute, silence, quiet
kill, terminate, end, stop
revoke, remove, delete
restart, reboot
fill, colour, color, shade
highlight, mark
record, recording, capture, screencast
virtual environment, virtualenv, venv
kubernetes, kubectl, k8s
command line tool, cli
laptop, computer, machine
allow, permit, grant, permission, access
merge, combine, join
split, divide
increase, raise, bigger, larger, zoom in, enlarge, scale
decrease, lower, smaller, reduce, zoom out
lock, protect
approve, accept, confirm
reject, decline, deny
schedule, plan
fill in, fill out, complete
picture, image, photo, screenshot
email, mail, message, e mail
folder, directory
file, document
app, application, program
website, site, web page, page
wifi, wi fi, wireless, network
password, passphrase, credentials
repository, repo, project
pull request, pr, merge request
issue, ticket, bug
meeting, event, appointment, call
calendar, agenda
colour, color
dark mode, dark theme, night mode
theme, appearance
font, text size, typeface
spreadsheet, sheet, workbook
presentation, slides, slideshow, deck
invoice, bill, receipt
background, wallpaper
language, locale
shortcut, keyboard shortcut, hotkey, key binding
notification, alert
environment variable, env var
variable, secret
comment, note, reply
label, tag
user, member, account, person
teammate, colleague, coworker, member
group, team
address, location
phone, mobile, telephone
bookmark, favourite, favorite
cart, basket
delivery, shipping
discount, coupon, voucher, promo code
return, refund, send back
total, sum
chart, graph, diagram
column, field
job, task
build, pipeline, ci
server, host, machine
package, library, dependency, module
database, db
backup, back up
volume, sound, audio
screen, display, monitor
resolution, screen size
printer, print
subtitle, caption
video, film, clip, movie
song, track, music
reminder, alarm
trip, journey, travel
train, rail
flight, plane
hotel, room, accommodation
"""
_KINDS: Final = """
browser: firefox, chrome, chromium, edge, safari, brave
terminal: xterm, console, shell, bash, gnome terminal, konsole, command line
command line: terminal, xterm, console, shell, bash
editor: visual studio code, vs code, vim, nano, gedit, kate
vs code: visual studio code, code
vscode: visual studio code, vs code
word processor: word, writer
spreadsheet: excel, calc, google sheets
mail: thunderbird, outlook, gmail
mail program: thunderbird, outlook, gmail
file manager: files, nautilus, dolphin, thunar, explorer
chat: slack, teams, discord, mattermost
"""
"""The general word first; who asks by it may mean any of the others, but not the other way round."""
ALIKE: Final = 0.75
"""How much a word counts that is alike, where the word itself counts 1."""
KIND: Final = 0.6
PART: Final = 0.7
"""One word of several that make a phrase."""


@functools.cache
def synonyms() -> dict[Phrase, dict[Phrase, float]]:
    """To each word or phrase those that may stand for it, and how much they count."""
    found: dict[Phrase, dict[Phrase, float]] = {}
    for line in _ALIKE.split("\n"):
        group = [tuple(terms_of(each)) for each in line.split(",") if each.strip()]
        for one in group:
            found.setdefault(one, {}).update({other: ALIKE for other in group if other != one})
            if len(one) > 1:
                found[one].update({(part,): PART for part in one if part not in STOP_WORDS})
    for line in _KINDS.strip().split("\n"):
        kind, _, members = line.partition(":")
        for member in members.split(","):
            found.setdefault(tuple(terms_of(kind)), {}).setdefault(tuple(terms_of(member)), KIND)
    return found


@functools.cache
def longest_phrase() -> int:
    """How many terms the longest of them has."""
    return max(map(len, synonyms()))
