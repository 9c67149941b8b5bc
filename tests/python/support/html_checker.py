"""What every page of ours must be: well formed, and nothing in it is loaded from elsewhere."""

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "input", "img", "hr"}


class Checker(HTMLParser):
    """Elements close in order; addresses that a browser would load are collected."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster") or (name == "href" and tag != "a"):
                self.loads.append(str(value))
            if name == "id":
                assert value not in self.ids
                self.ids.add(str(value))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
