"""The error tree: every error says what was wrong, where it was found, and what to do about it."""

from __future__ import annotations

from pathlib import Path

_MOST_LISTED = 30
"""Problems of a file that an error prints; its attribute has all."""


class SpecBridgeError(Exception):
    """Root of every error that the package raises on purpose.

    Args:
        what: What is wrong, in one sentence.
        where: The file, cell, model or statement in which it was found.
        advice: What the user can do about it.
    """

    def __init__(self, what: str, *, where: str | None = None, advice: str | None = None) -> None:
        self.what = what
        self.where = where
        self.advice = advice
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return where, what, advice as one line; after a list the advice has a line of its own."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        if not self.advice:
            return text
        return f"{text}\n({self.advice})" if "\n" in text else f"{text} ({self.advice})"


class ConfigurationError(SpecBridgeError):
    """A registry, profile or edition file says something that cannot be used.

    Args:
        what: What is wrong.
        path: The file.
        line: The line in it, counted from 1, where it is known.
        advice: What to do.
    """

    def __init__(
        self,
        what: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        advice: str | None = None,
    ) -> None:
        self.path = path
        self.line = line
        where = None if path is None else f"{path}:{line}" if line is not None else str(path)
        super().__init__(what, where=where, advice=advice)


class DatabaseUnavailableError(SpecBridgeError):
    """A database cannot be opened, or is not what its registry entry or edition says it is."""


class WorkerError(SpecBridgeError):
    """A query worker failed for a reason of ours, more often than it is retried."""


class UnusableReferenceError(SpecBridgeError):
    """A reference query does not run, or does not determine its result."""


class UndeterminedReferenceError(UnusableReferenceError):
    """A reference query runs and does not determine its result.

    Args:
        what: What was found.
        reason: The kind of reason, a value of `comparison.determinacy.findings.Reason`.
        where: The query.
        advice: What to do.
    """

    def __init__(
        self, what: str, *, reason: str, where: str | None = None, advice: str | None = None
    ) -> None:
        self.reason = reason
        super().__init__(what, where=where, advice=advice)


class UndescribableQueryError(SpecBridgeError):
    """A query holds a construct that the exact description has no words for."""


class UnreadableDescriptionError(SpecBridgeError):
    """A text is no exact description that can be read back into a query."""


class HumanVerdictsError(SpecBridgeError):
    """Files of people's verdicts hold lines that cannot be used; none of them is then.

    Args:
        problems: What is wrong, a problem each, with file and line.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__(
            _listed("the verdicts of people cannot be used", problems),
            advice="correct the files; until then no verdict is read",
        )


class ImportFaultsError(SpecBridgeError):
    """A file made elsewhere holds what cannot be imported; nothing of it is then.

    Args:
        problems: What is wrong, a problem each, with file and line.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__(
            _listed("the file cannot be imported", problems),
            advice="correct it; nothing was imported",
        )


class EditionError(SpecBridgeError):
    """An edition's files contradict each other or what the edition promises."""


class MissingRepliesError(SpecBridgeError):
    """Replies are not in the archive and the mode does not allow asking for them.

    Args:
        what: What is wrong.
        keys: The archive keys of the missing replies.
        where: The model or cell that needs them.
        advice: What to do.
    """

    def __init__(
        self,
        what: str,
        *,
        keys: tuple[str, ...],
        where: str | None = None,
        advice: str | None = None,
    ) -> None:
        self.keys = keys
        super().__init__(what, where=where, advice=advice)


class ModelUnavailableError(SpecBridgeError):
    """A model cannot be reached: no address, no key, or no answer after all retries."""


class BudgetExhaustedError(SpecBridgeError):
    """The next call would exceed the calls, cost or hours that were allowed."""


class StaleRecordError(SpecBridgeError):
    """A stored cell does not hold what its manifest, or a number recomputed from it, says."""


class TraceMismatchError(SpecBridgeError):
    """A reported number differs from the one recomputed from the rows behind it."""


def _listed(what: str, problems: tuple[str, ...]) -> str:
    found = f"{len(problems)} problems" if len(problems) > 1 else "one problem"
    listed = problems[:_MOST_LISTED]
    if len(problems) > _MOST_LISTED:
        listed += (f"… and {len(problems) - _MOST_LISTED} more",)
    return f"{what}, {found}:\n  " + "\n  ".join(listed)
