"""Layer rules over functions and contexts."""

import re
from pathlib import Path
from typing import Any

import pytest
from socscope.errors import LayersError
from socscope.image import Image
from socscope.layers import Layers


def rules(tmp_path: Path, text: str) -> Layers:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    return Layers.read(path)


def of(layers: Layers, image: Image, name: str) -> str:
    return layers.of_function(next(function for function in image.functions if function.name == name))


def test_first_rule_that_fits_decides(image: Image, layers: Layers) -> None:
    assert of(layers, image, "rtos_idle") == "idle"
    assert of(layers, image, "driver_send") == "drivers"
    assert of(layers, image, "copy_bytes") == "library"
    assert of(layers, image, "main") == "application"


def test_library_counts_to_the_nearest_caller_outside_the_libraries(
    image: Image, layers: Layers, profile: dict[str, dict[str, list[Any]]]
) -> None:
    nodes = profile["nodes"]
    found = layers.of_nodes(nodes["parent"], nodes["function"], image.functions)
    assert found == ["application", "application", "drivers", "drivers", "idle", "drivers", "drivers"]


def test_library_called_by_a_library_counts_to_the_caller_of_both(image: Image, layers: Layers) -> None:
    numbers = {function.name: function.id for function in image.functions}
    chain = [numbers["main"], numbers["copy_bytes"], numbers["copy_bytes"]]
    assert layers.of_nodes([-1, 0, 1], chain, image.functions) == ["application"] * 3


def test_library_without_a_caller_and_code_outside_functions_are_other(image: Image, layers: Layers) -> None:
    copy = next(function.id for function in image.functions if function.name == "copy_bytes")
    assert layers.of_nodes([-1, -1], [copy, -1], image.functions) == ["other", "other"]


def test_rule_can_ask_for_a_caller(tmp_path: Path, image: Image) -> None:
    layers = rules(
        tmp_path,
        """
        [[rule]]
        layer = "receiving"
        symbol = "copy_bytes"
        called_from = "main"
        [[rule]]
        layer = "rest"
        """,
    )
    numbers = {function.name: function.id for function in image.functions}
    functions = [numbers["_start"], numbers["main"], numbers["copy_bytes"], numbers["copy_bytes"]]
    assert layers.of_nodes([-1, 0, 1, 0], functions, image.functions) == ["rest", "rest", "receiving", "rest"]


def test_names_keep_the_order_of_the_rules_and_leave_the_library_out(layers: Layers) -> None:
    assert layers.names() == ["idle", "drivers", "application", "other"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule = 3", "rule: Input should be a valid list"),
        ("[[rule]]\nsymbol = 'a'", "rule.1.layer: Field required"),
        ("[[rule]]\nlayer = 'a'\nsymbl = 'b'", "rule.1.symbl: Extra inputs are not permitted"),
        (
            "[[rule]]\nlayer = 'a'\n[[rule]]\nlayer = 'b'\nsymbol = '('",
            "rule.2.symbol: Value error, '(' is no regular expression: missing ), unterminated subpattern",
        ),
        ("[[rule", "not TOML: "),
    ],
)
def test_unusable_rules_name_file_and_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LayersError, match=re.escape(f"{tmp_path / 'rules.toml'}: {message}")):
        rules(tmp_path, text)


def test_missing_rules(tmp_path: Path) -> None:
    with pytest.raises(LayersError, match=r"none\.toml: cannot be read: No such file or directory"):
        Layers.read(tmp_path / "none.toml")


def test_context_before_its_caller_is_refused(image: Image, layers: Layers) -> None:
    with pytest.raises(LayersError, match="context 0 has the parent 1, which does not come before it"):
        layers.of_nodes([1, -1], [0, 0], image.functions)
