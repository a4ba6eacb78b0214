"""The URI of a place in an object store, such as ``s3://bucket/prefix``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pyharness.base.errors import SpecError


@dataclass(frozen=True)
class StoreUri:
    """A place in a store: ``text`` is the whole URI, with the options of the connection behind ``?``."""

    text: str

    def __str__(self) -> str:
        return self.text

    @staticmethod
    def is_one(text: str) -> bool:
        """Whether a text is a URI, and no path of a file system."""
        return "://" in text

    @classmethod
    def parse(cls, text: str) -> StoreUri:
        """Read a URI. Raises SpecError for one without a bucket, one of a file, and one with credentials.

        A URI is shown in reports and in the list of processes, so that a secret must not be part of it.
        """
        try:
            parts = urlsplit(text)
        except ValueError as error:
            raise SpecError(f"no URI: {error}", where=text) from None
        if parts.scheme == "file":
            raise SpecError("this is a directory", where=text, hint=f"give the path: {parts.path}")
        if not parts.scheme or not parts.netloc:
            raise SpecError("the URI names no bucket", where=text, hint="such as s3://BUCKET/PREFIX")
        if parts.password is not None or (parts.scheme in {"s3", "gs"} and parts.username is not None):
            raise SpecError(
                "credentials are not part of a URI, which reports show",
                where=f"{parts.scheme}://…@{parts.hostname}",
                hint="s3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws",
            )
        return cls(text)

    def of(self, name: str = "") -> str:
        """Name an object below this place for people: without the options of the connection."""
        place = self.text.partition("?")[0].rstrip("/")
        return f"{place}/{name}" if name else place
