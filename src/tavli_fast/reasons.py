"""The words in which it is told why a step is refused."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Reason"]


class Reason(StrEnum):
    """Why a step cannot be played: a code, and in `rule` the words for it.

    The order is that of the law in `RULES.md`: whether there is a step to make at all, what a
    single step may not do, what a finished turn may not look like, most numbers, higher number.

    >>> from tavli_fast import Reason
    >>> Reason("bar_first").rule
    'checkers on the bar enter first'
    """

    rule: str

    def __new__(cls, code: str, rule: str) -> Reason:
        reason = str.__new__(cls, code)
        reason._value_ = code
        reason.rule = rule
        return reason

    GAME_OVER = "game_over", "the game is over"
    TURN_OVER = "turn_over", "all numbers of the roll have been played"
    NO_SUCH_NUMBER = "no_such_number", "no number left to play makes this step"

    NO_CHECKER = "no_checker", "no own checker stands there"
    PINNED = "pinned", "a pinned checker cannot move"
    BAR_FIRST = "bar_first", "checkers on the bar enter first"
    RUNNER_ALONE = "runner_alone", "the first checker travels alone until it has come round"
    HEAD_USED = "head_used", "no more checkers may leave the head in this turn"
    HITTER_STAYS = "hitter_stays", "a checker that hit at home stays there for the turn"
    CLOSED_POINT = "closed_point", "the opponent holds that point"
    NOT_ALL_HOME = "not_all_home", "bearing off needs all checkers at home"
    HIGHER_CHECKER = "higher_checker", "checkers on higher points come first"
    PINNED_AT_HOME = "pinned_at_home", "nothing is borne off while a checker is pinned at home"

    START_QUARTER = "start_quarter", "the turn would end with all of own 24 to 19 held"
    MOTHER_PRIME = (
        "mother_prime",
        "the turn would end with all six points before the opponent's start held",
    )
    SIX_PRIME = "six_prime", "the turn would end with a forbidden wall of six"
    TOTAL_BLOCK = "total_block", "the turn would end with the opponent totally blocked"

    MOST_NUMBERS = "most_numbers", "another way to play uses more numbers"
    HIGHER_NUMBER = "higher_number", "only one number can be played, so it must be the higher"
