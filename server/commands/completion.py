"""``vaider completion``: the script that completes commands and options in a shell."""

import click
from click.shell_completion import get_completion_class

_USE = {
    "bash": 'eval "$(vaider completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(vaider completion zsh)"   # in ~/.zshrc',
    "fish": "vaider completion fish > ~/.config/fish/completions/vaider.fish",
}


@click.command(epilog="\b\n" + "\n".join(_USE.values()))
@click.argument("shell", type=click.Choice(list(_USE)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    click.echo(kind(ctx.find_root().command, {}, "vaider", "_VAIDER_COMPLETE").source())
