"""Pages opened as their readers do: in a browser, from a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page


@contextmanager
def reader(browser: Browser, path: Path, *, width: int = 1200, height: int = 800) -> Iterator[Page]:
    """A page in a browser; no script of it may fail, and nothing may be fetched from anywhere else."""
    errors: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": height})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.extend([said.text] if said.type == "error" else []))
    page.on(
        "request",
        lambda request: errors.extend([] if request.url.startswith(("file:", "data:")) else [request.url]),
    )
    page.goto(path.absolute().as_uri())
    try:
        yield page
    finally:
        page.close()
    assert errors == []
