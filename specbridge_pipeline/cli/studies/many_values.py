"""Options that may be followed by several values."""

from __future__ import annotations

import click


class ManyValues(click.Command):
    """A command whose repeated options may list several values after one another."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option's name before each further value of it."""
        repeated = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and parameter.multiple
            for name in parameter.opts
        }
        found: list[str] = []
        current = ""
        for each in args:
            if each.startswith("-"):
                current = each if each in repeated else ""
                found.append(each)
            elif current and found[-1] != current:
                found += [current, each]
            else:
                found.append(each)
        return super().parse_args(ctx, found)
