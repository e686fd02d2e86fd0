"""What ``vaider analyse`` leaves for a CI: JUnit's file, GitHub's annotations and summary, the exit code."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.analysis import VerdictResult
from server.commands.options import write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from server.client.job_following import Outcome

ReturnT = TypeVar("ReturnT")


@dataclass(frozen=True)
class Ci:
    """What a CI wants."""

    junit: Path | None
    github: bool
    unclear_fails: bool
    as_json: bool

    def shown(self) -> contextlib.AbstractContextManager[None]:
        """Around what is printed for people, which must not command GitHub."""
        if not self.github or self.as_json:
            return contextlib.nullcontext()
        from server.cli_output.github import no_commands  # noqa: PLC0415 - only on GitHub

        return no_commands()

    def leave(self, outcomes: Sequence[Outcome], pages: Mapping[str, Path]) -> None:
        """Write the files, and say what GitHub shall show. Raises ``StorageFailed``."""
        if self.junit is not None:
            from server.cli_output.junit import junit  # noqa: PLC0415 - only where it is asked for

            write_file(self.junit, junit(outcomes, unclear_fails=self.unclear_fails))
        if self.github:
            from server.cli_output.github import messages, write_summary  # noqa: PLC0415 - only on GitHub

            # GitHub reads commands from both streams; the JSON keeps its own.
            for line in messages(outcomes, unclear_fails=self.unclear_fails):
                click.echo(line, err=self.as_json)
            write_summary(outcomes, pages)

    def exit_code(self, outcomes: Sequence[Outcome]) -> int:
        """The worst of all."""
        return max(self._code(outcome) for outcome in outcomes)

    def _code(self, outcome: Outcome) -> int:
        verdicts = outcome.analysis.verdicts if outcome.analysis else ()
        if self.unclear_fails or any(each.verdict is VerdictResult.FAIL for each in verdicts):
            return outcome.exit_code
        return 0 if outcome.error is None else outcome.exit_code


def with_ci(command: Callable[..., ReturnT]) -> Callable[..., ReturnT]:
    """Give a command the options for a CI; it receives them as ``ci``."""

    @click.option(
        "--junit",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write a JUnit report: a test case for each expectation.",
    )
    @click.option("--github", is_flag=True, help="Annotate on GitHub Actions, and add to the summary of the step.")
    @click.option(
        "--fail-on",
        type=click.Choice(["fail", "unclear"]),
        default="unclear",
        show_default=True,
        help="The least that makes the exit code 1.",
    )
    @functools.wraps(command)
    def wrapper(*args: Any, junit: Path | None, github: bool, fail_on: str, **options: Any) -> ReturnT:
        as_json = bool(options.get("as_json"))
        ci = Ci(junit=junit, github=github, unclear_fails=fail_on == "unclear", as_json=as_json)
        return command(*args, ci=ci, **options)

    return wrapper
