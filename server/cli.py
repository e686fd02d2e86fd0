"""The command ``vaider``. Each subcommand lives in ``server/commands/`` and is imported when it is used."""

import asyncio
import errno
import importlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import click
from click.exceptions import NoSuchCommand

from core.errors import Cancelled, Internal, InvalidRequest, StorageFailed, VaiderError, exit_code
from server.cli_output.pipes import forget_output, leave_quietly

COMMANDS: Final[Mapping[str, str]] = {
    "analyse": "Say what happened in videos, and whether it was as expected.",
    "watch": "Say what happened in the videos that tests record, as they appear.",
    "compare": "Say what differs between the recordings of two runs.",
    "replay": "Carry out a workflow on a desktop.",
    "learn": "Make a task of a recording, or record a demonstration first.",
    "run": "Carry out a task on a desktop.",
    "record": "Record the screen all day, and remember what was done.",
    "recall": "Recall how something was done, and watch the clip of it.",
    "reload": "Do again what was done once, and look after what is kept of it.",
    "workflows": "List, show, validate, make, import and export workflows.",
    "tasks": "List, show, answer, schedule, compare, restore and remove tasks.",
    "init": "Connect this project's coding agents to Vaider.",
    "serve": "Run the daemon.",
    "mcp": "Run the daemon for MCP clients; --stdio speaks over stdin and stdout.",
    "jobs": "List, show and cancel jobs, and answer what they ask.",
    "tokens": "Give a team's people and programs tokens of their own.",
    "keys": "Keep provider keys in this machine's keyring; setup asks for what is missing.",
    "doctor": "Tell what works here, and what to do about the rest.",
    "completion": "Print the completion script of a shell.",
}
"""Each command and its help; a module holds a click command of that name."""
_MODULES: Final[Mapping[str, str]] = {"mcp": "serve", "replay": "run"}
"""The modules of ``server/commands`` where a command has none of its own name."""


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Commands(click.Group):
    """The subcommands, imported one at a time: ``--help`` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"server.commands.{_MODULES.get(cmd_name, cmd_name)}")
        return cast("click.Command", getattr(module, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; a misspelt one is refused with the nearest there is."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that has enough of its output ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            leave_quietly()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="vaider", message="vaider %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Eyes, memory and hands for coding agents: Vaider watches videos, remembers how things are done, and does them."""
    if ctx.invoked_subcommand is None:
        from server.commands.first import say_first  # noqa: PLC0415 - `--help` need not wait for it

        say_first()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit as the README's table of exit codes says."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A script's background jobs are born deaf to it, and then to SIGTERM too, which comes in by the same door.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # SIGTERM acts like Ctrl-C: the command's job is cancelled first.
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns its exit code."""
    as_json = "--json" in arguments
    try:
        result = cli.main(args=list(arguments), prog_name="vaider", standalone_mode=False)
    except click.UsageError as error:
        if as_json:
            return _fail(InvalidRequest(error.format_message()), as_json=True)
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt, asyncio.CancelledError, Exception) as error:
        if os.environ.get("VAIDER_LOG_LEVEL") == "debug" and not isinstance(error, VaiderError):
            raise
        return _fail(_ours(error), as_json=as_json and not _has_no_room(error))
    return result if isinstance(result, int) else 0


def _ours(error: BaseException) -> VaiderError:
    if isinstance(error, VaiderError):
        return error
    if isinstance(error, click.Abort | KeyboardInterrupt | asyncio.CancelledError):
        return Cancelled("Cancelled; nothing is left running.")
    if _has_no_room(error):
        forget_output()
        return StorageFailed("There is no room left to write the output: free some space and try again.")
    kind = type(error).__name__
    hint = "Set VAIDER_LOG_LEVEL=debug to see where, and report it with `vaider doctor --bundle`."
    return Internal(f"Vaider failed by a fault of its own ({kind}). {hint}")


def _has_no_room(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _FULL


def _fail(error: VaiderError, *, as_json: bool) -> int:
    """Tell the failure: one sentence on stderr, or the error shape on stdout."""
    if as_json:
        click.echo(json.dumps(error.to_json()))
    else:
        click.echo(f"Error: {''.join(letter if letter.isprintable() else '�' for letter in error.message)}", err=True)
    return exit_code(error)
