"""The law that hostile texts are held to tells a quadratic reader from a linear one."""

from tests.scaling import reads_in_linear_time

TEXT = "interface Ethernet1/1\n" * 45_000


def test_a_reader_that_looks_at_each_line_once_is_linear() -> None:
    assert reads_in_linear_time(lambda text: [line.split() for line in text.splitlines()], TEXT)


def test_a_reader_that_compares_all_lines_with_all_earlier_ones_is_not() -> None:
    def read(text: str) -> int:
        lines = text.splitlines()
        return sum(line == earlier for number, line in enumerate(lines) for earlier in lines[:number])

    assert not reads_in_linear_time(read, TEXT)
