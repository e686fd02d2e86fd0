"""What somebody asks an agent for at work, over and over: made up for a week of simulated use."""

from typing import Final, NamedTuple


class Habit(NamedTuple):
    """One thing that is asked for; what is named in braces is another value each time."""

    name: str
    application: str
    phrasings: tuple[str, ...]
    """All for the same; the commonest first."""


HABITS: Final = (
    Habit("mail-open", "Mail", ("Open the inbox", "open the inbox please", "Open my inbox")),
    Habit(
        "mail-write",
        "Mail",
        (
            "Write a mail to {mail} with the subject {title}",
            "Please write a mail to {mail} with the subject {title}",
            "Write a mail with the subject {title} to {mail}",
        ),
    ),
    Habit("timer", "Tracker", ("Start the timer for {project}", "start the timer for {project} again")),
    Habit("timer-stop", "Tracker", ("Stop the timer for {project}", "please stop the timer for {project}")),
    Habit(
        "board", "Browser", ("Show the board of {project}", "Show me the board of {project}", "show {project}'s board")
    ),
    Habit(
        "ticket-open", "Browser", ("Open ticket {number}", "open the ticket {number}", "Can you open ticket {number}?")
    ),
    Habit("ticket-close", "Browser", ("Close ticket {number}", "please close ticket {number}")),
    Habit(
        "ticket-assign", "Browser", ("Assign ticket {number} to {person}", "assign ticket {number} to {person} please")
    ),
    Habit("ticket-unassign", "Browser", ("Unassign ticket {number} from {person}",)),
    Habit("chat-status", "Chat", ("Set my status to away", "set my status to away, please")),
    Habit("chat-back", "Chat", ("Set my status to available", "Set my status to available again")),
    Habit("chat-mute", "Chat", ("Mute the channel #{project}", "mute #{project}")),
    Habit("chat-unmute", "Chat", ("Unmute the channel #{project}",)),
    Habit(
        "chat-post",
        "Chat",
        (
            'Post "{title}" in the channel #team',
            'In the channel #team, post "{title}"',
            'please post "{title}" in the channel #team',
        ),
    ),
    Habit(
        "meeting",
        "Calendar",
        (
            "Schedule a meeting with {person} on {date} at {time}",
            "On {date} at {time}, schedule a meeting with {person}",
            "Could you schedule a meeting with {person} on {date} at {time}?",
        ),
    ),
    Habit("meeting-cancel", "Calendar", ("Cancel the meeting with {person} on {date} at {time}",)),
    Habit("agenda", "Calendar", ("Show today's agenda", "show me today's agenda", "Show today's agenda please")),
    Habit("agenda-next", "Calendar", ("Show tomorrow's agenda", "show me tomorrow's agenda")),
    Habit(
        "expense",
        "Sheets",
        ("Enter an expense of {amount} EUR for {title}", "enter an expense of {amount} EUR for {title} please"),
    ),
    Habit("expense-usd", "Sheets", ("Enter an expense of {amount} USD for {title}",)),
    Habit("income", "Sheets", ("Enter an income of {amount} EUR for {title}",)),
    Habit("export-csv", "Sheets", ("Export the sheet as {file}", "please export the sheet as {file}")),
    Habit("import-csv", "Sheets", ("Import the sheet from {file}",)),
    Habit("report-march", "Sheets", ("Send the march report to {mail}", "send march's report to {mail}")),
    Habit("report-april", "Sheets", ("Send the april report to {mail}",)),
    Habit("search", "Browser", ('Search the wiki for "{title}"', 'please search the wiki for "{title}"')),
    Habit("search-code", "Browser", ('Search the code for "{title}"',)),
    Habit(
        "deploy",
        "Browser",
        ("Deploy {project} to staging", "Please deploy {project} to staging", "deploy {project} to staging again"),
    ),
    Habit("deploy-live", "Browser", ("Deploy {project} to production",)),
    Habit("rollback", "Browser", ("Roll back {project} on staging",)),
    Habit("vpn-on", "Settings", ("Turn on the VPN", "turn the VPN on", "Please turn on the VPN")),
    Habit("vpn-off", "Settings", ("Turn off the VPN", "turn the VPN off")),
    Habit("copy-file", "Files", ("Copy {file} to the shared folder", "please copy {file} to the shared folder")),
    Habit("move-file", "Files", ("Move {file} to the shared folder",)),
    Habit("rename", "Files", ("Rename the file to {file}",)),
    Habit("bin", "Files", ("Empty the bin", "please empty the bin")),
    Habit("archive-read", "Mail", ("Archive all read mails", "please archive all the read mails")),
    Habit("archive-all", "Mail", ("Archive all mails",)),
    Habit(
        "print",
        "Documents",
        ("Print pages {first} to {last} of the handbook", "please print pages {first} to {last} of the handbook"),
    ),
    Habit("translate", "Documents", ("Translate the page from German to English",)),
    Habit("translate-back", "Documents", ("Translate the page from English to German",)),
)

POOLS: Final = {
    "mail": ("ana@example.com", "ben@example.com", "cleo@example.com", "dov@example.org", "edda@example.net"),
    "person": ("Ana", "Ben", "Cleo", "Dov Stern", "Edda", "Farid", "Maria Lopez"),
    "project": ("atlas", "birch", "comet", "delta"),
    "title": (
        "Lunch", "Taxi to the station", "Release notes", "Standup moved", "Coffee for the team", "Quarterly numbers",
        "Paper and pens", "Kick-off", "Thank you all",
    ),
    "file": ("plan.csv", "sales-2026.csv", "notes.txt", "budget.xlsx", "Summary.pdf"),
    "date": ("2026-11-24", "2026-11-25", "2026-11-26", "2026-12-01", "2026-12-03"),
    "time": ("9:00", "10:30", "14:00", "15:45"),
}  # fmt: skip
"""What slots are filled with; numbers and amounts are drawn."""
