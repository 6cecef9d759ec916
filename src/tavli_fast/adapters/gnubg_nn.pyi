from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias, overload

__all__ = [
    "bearoff_id_2_pos",
    "board_from_position_id",
    "board_from_position_key",
    "boardfromid",
    "boardfromkey",
    "key_of_board",
    "moves",
    "position_id",
    "roll",
]

_Board: TypeAlias = Sequence[Sequence[SupportsIndex]]
_Steps: TypeAlias = tuple[tuple[int, int], ...]

@overload
def moves(
    board: _Board, die1: SupportsIndex, die2: SupportsIndex, verbose: Literal[0] = 0, /
) -> tuple[str, ...]: ...
@overload
def moves(
    board: _Board, die1: SupportsIndex, die2: SupportsIndex, verbose: Literal[1], /
) -> tuple[tuple[str, _Steps], ...]: ...
@overload
def moves(
    board: _Board, die1: SupportsIndex, die2: SupportsIndex, verbose: SupportsIndex = 0, /
) -> tuple[str, ...] | tuple[tuple[str, _Steps], ...]: ...
def board_from_position_id(pos_id: str, /) -> list[list[int]]: ...
def board_from_position_key(key: str, /) -> tuple[tuple[int, ...], tuple[int, ...]]: ...
def key_of_board(board: _Board, /) -> str: ...
def position_id(board: _Board, /) -> str: ...
def bearoff_id_2_pos(bearoff_id: SupportsIndex | Sequence[SupportsIndex], /) -> tuple[int, ...]: ...
def roll() -> tuple[int, int]: ...

boardfromid = board_from_position_id
boardfromkey = board_from_position_key
