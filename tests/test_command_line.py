"""The command line, in this process and once for real."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tavli_fast as tf
from tavli_fast import __main__ as command_line
from tavli_fast.__main__ import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds prints on stdout, having printed nothing on stderr."""
    status = main(arguments)
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


# moves


def test_fevga_has_one_opening_move_with_6_5(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "moves", "fevga", "start", "65") == "24/13\n"


def test_moves_come_sorted_from_the_rear(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "moves", "portes", "start", "31").splitlines() == [
        "24/23 24/21",
        "24/23 13/10",
        "24/23 8/5",
        "24/23 6/3",
        "24/21 8/7",
        "24/21 6/5",
        "24/20",
        "13/10 8/7",
        "13/10 6/5",
        "13/9",
        "8/7 8/5",
        "8/7 6/3",
        "8/5 6/5",
        "8/4",
        "6/5 6/3",
        "6/2",
    ]


@pytest.mark.parametrize("roll", ["31", "3-1", "3,1", "13", "1 3"])
def test_moves_take_a_roll_in_any_form(capsys: pytest.CaptureFixture[str], roll: str) -> None:
    assert run(capsys, "moves", "tavla", "start", roll).count("\n") == 16


def test_moves_of_a_lost_turn(capsys: pytest.CaptureFixture[str]) -> None:
    shut_out = "bar:1,1:14/6:2,5:2,4:2,3:2,2:2,1:5"
    assert run(capsys, "moves", "portes", shut_out, "31") == "pass\n"
    data = json.loads(run(capsys, "moves", "portes", shut_out, "31", "--json"))
    assert data["moves"] == [
        {"text": "pass", "steps": [], "hits": [], "after": "bar:1,1:14/6:2,5:2,4:2,3:2,2:2,1:5"}
    ]


def test_moves_obey_the_options_of_the_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    blots_in_home = "10:1,2:14/20:1,1:14"
    assert "10/5*/4\n" in run(capsys, "moves", "tavla(hit_and_run=allowed)", blots_in_home, "51")
    assert "10/5*/4\n" not in run(capsys, "moves", "tavla", blots_in_home, "51")


def test_moves_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    text = "24:1,6:14/7:1,3:14"
    data = json.loads(run(capsys, "moves", "portes", text, "6-5", "--json"))
    moves = {move.pop("text"): move for move in data.pop("moves")}
    assert data == {"ruleset": "portes", "position": text, "roll": [6, 5]}
    assert moves["24/18*/13"] == {
        "steps": [[24, 18], [18, 13]],
        "hits": [18],
        "after": "13:1,6:14/bar:1,3:14",
    }
    position = tf.Position.parse(text, tf.PORTES)
    assert set(moves) == {str(move) for move in position.moves((6, 5))}


# show


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    start = tf.Position.start(tf.MOULTEZIM)
    assert run(capsys, "show", "Moultezim", "start") == f"{start}\n24:15/24:15\n"


def test_show_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "show", "--json", "backgammon", "OFF:15 / bar:1, 24:14"))
    assert data == {
        "ruleset": "backgammon",
        "position": "off:15/bar:1,24:14",
        "own": [15] + [0] * 25,
        "opp": [0] * 24 + [14, 1],
        "own_pinned": [],
        "opp_pinned": [],
        "pip_counts": [0, 361],
        "points_won": 3,
        "roll": None,
        "id": "backgammon:AACA_18AAAAA",
        "gnubg_id": "AACA/18AAAAAAA",
        "xgid": f"XGID=an{'-' * 24}:0:0:1:00:0:0:0:0:10",
    }


def test_show_tells_the_roll_and_the_side_below(capsys: pytest.CaptureFixture[str]) -> None:
    start = tf.Position.start(tf.FEVGA)
    expected = f"{tf.render.board(start, below='opp')}\n24:15/24:15\n3-1 to play\n"
    assert run(capsys, "show", "fevga", "start", "31", "--below", "opp") == expected


def test_show_ids(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "show", "portes", "start", "52", "--id")
    assert out.splitlines()[-3:] == [
        "id        portes:4HPwATDgc_ABMA",
        "gnubg_id  4HPwATDgc/ABMA",
        f"xgid      {XGID}",
    ]
    out = run(capsys, "show", "fevga(runner=pass)", "start", "--id")
    assert out.splitlines()[-2:] == ["24:15/24:15", "id        fevga(runner=pass):AACA_z8AAID_Pw"]


XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"


@pytest.mark.parametrize("position", ["portes:4HPwATDgc_ABMA", "4HPwATDgc/ABMA", XGID])
def test_a_position_may_be_an_id(capsys: pytest.CaptureFixture[str], position: str) -> None:
    moves = run(capsys, "moves", "portes", "start", "31")
    assert run(capsys, "moves", "portes", position, "31") == moves
    assert run(capsys, "perft", "portes", "1", "--position", position) == "447\n"


def test_the_roll_of_an_xgid_is_taken_unless_another_is_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    moves = run(capsys, "moves", "portes", "start", "52")
    assert run(capsys, "moves", "portes", XGID) == moves
    assert json.loads(run(capsys, "show", "portes", XGID, "--json"))["roll"] == [5, 2]
    assert json.loads(run(capsys, "show", "portes", XGID, "31", "--json"))["roll"] == [3, 1]


@pytest.mark.parametrize("below", ["own", "opp"])
def test_show_writes_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, below: str
) -> None:
    file = tmp_path / "picture.svg"
    file.write_text("something else")
    run(capsys, "show", "plakoto", "start", "31", "--svg", str(file), "--below", below)
    start = tf.Position.start(tf.PLAKOTO)
    picture = tf.svg.board(start, roll=(3, 1), below=below)
    assert file.read_text(encoding="utf-8") == picture
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["no folder/picture.svg", "", ".", "a file/picture.svg"])
def test_a_picture_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").write_text("")
    assert main(["show", "portes", "start", "--svg", name]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"tavli-fast: error: cannot write {name!r}: ")
    assert [file.name for file in tmp_path.iterdir()] == ["a file"]


def test_a_picture_that_breaks_off_leaves_the_old_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*names: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "picture.svg"
    file.write_text("the old one")
    monkeypatch.setattr(os, "replace", fail)
    assert main(["show", "portes", "start", "--svg", str(file)]) == 2
    message = f"tavli-fast: error: cannot write {str(file)!r}: No space left on device\n"
    assert capsys.readouterr() == ("", message)
    assert file.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [file]


# primes


AROUND = "24:10,23:1,22:1,3:1,2:1,1:1/16:14,9:1"


def test_primes_tell_the_walls(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "primes", "fevga", AROUND).splitlines() == [
        "own holds walls up to 6, live 6, trapped 14",
        "  6: own points 3-2-1-24-23-22, 14 behind, full",
        "opp holds walls up to 1, live 1, trapped 0",
        "of 36 rolls 36 play all, 0 some, 0 nothing",
        "32 bring the rearmost checker past the wall of 1",
    ]
    assert run(capsys, "primes", "fevga", "24:10,23:1,22:1,21:1,20:1,19:1/24:15").splitlines()[
        -1
    ] == ("forbidden by the ruleset: start_quarter")
    assert run(capsys, "primes", "portes", "6:15/6:15").splitlines() == [
        "own holds walls up to 1, live 0, trapped 0",
        "opp holds walls up to 1, live 0, trapped 0",
        "of 36 rolls 36 play all, 0 some, 0 nothing",
        "a race: the sides cannot meet any more",
    ]


def test_primes_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(
        run(capsys, "primes", "long_nardy", AROUND.replace("16:14,9:1", "16:15"), "--json")
    )
    assert data["primes"] == [
        {
            "side": "own",
            "length": 6,
            "first": 15,
            "last": 10,
            "behind": 15,
            "before_start": False,
            "before_start_quarter": False,
            "full": True,
            "own_points": [3, 2, 1, 24, 23, 22],
        }
    ]
    assert data["blockade"]["own"] == {"longest": 6, "live": 6, "trapped": 15}
    assert data["blockade"]["forbidden"] == ["six_prime"]
    assert data["in_contact"] is True


# bearoff


def test_bearoff(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "bearoff", "hypergammon", "12:1,7:1/4:1,2:1")
    assert out.splitlines() == [
        "rolls     own     opp",
        "    1  0.0278  0.6389",
        "    2  0.1898  0.3611",
        "    3  0.5621  0.0000",
        "    4  0.2097  0.0000",
        "    5  0.0105  0.0000",
        "    6  0.0001  0.0000",
        "mean   2.9856  1.3611",
        "win    0.0963, double 0.0000",
        "loss   0.9037, double 0.0000",
    ]


def test_bearoff_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    text = "6:1,1:1,off:1/1:3"
    data = json.loads(run(capsys, "bearoff", "hypergammon", text, "--json"))
    table, position = tf.BearOff.build(tf.HYPERGAMMON), tf.Position.parse(text, tf.HYPERGAMMON)
    assert data == {
        "ruleset": "hypergammon",
        "position": text,
        "points": 6,
        "starter": None,
        "expected": {"own": table.expected(position), "opp": table.expected(position, "opp")},
        "rolls": {side: table.rolls(position, side).tolist() for side in ("own", "opp")},
        **table.chances(position)._asdict(),
    }


def test_bearoff_with_a_last_roll(capsys: pytest.CaptureFixture[str]) -> None:
    rules, race = "long_nardy(last_roll_draw=on)", "6:1,1:1/1:2"
    out = run(capsys, "bearoff", rules, race, "--starter", "own")
    assert out.splitlines()[-3:] == [
        "win    0.0000, double 0.0000",
        "draw   0.4167",
        "loss   0.5833, double 0.0000",
    ]
    assert main(["bearoff", rules, race]) == 2
    assert "it matters who began" in capsys.readouterr().err


def test_bearoff_keeps_its_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "table"
    race = "hypergammon", "6:1/7:1,1:2", "--table", str(file)
    first = run(capsys, "bearoff", *race)
    written = file.stat()
    assert run(capsys, "bearoff", *race) == first
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert run(capsys, "bearoff", "hypergammon", "6:1/6:1", "--table", str(file))
    assert main(["bearoff", "hypergammon", "6:1/8:1", "--table", str(file)]) == 2
    assert "has a table of 7 points, not 8" in capsys.readouterr().err
    file.write_bytes(file.read_bytes()[:-1])
    assert main(["bearoff", *race]) == 2
    assert f"cannot read {str(file)!r}: it is damaged or cut short" in capsys.readouterr().err


# perft


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["portes", "0"], 1),
        (["portes", "1"], 447),
        (["fevga", "2"], 479),
        (["fevga", "1"], 22),
        (["fevga", "1", "--weighted"], 37),
        (["fevga", "1", "--position", "6:1/6:1"], 21),
        (["fevga", "2", "--threads", "2"], 479),
    ],
)
def test_perft(capsys: pytest.CaptureFixture[str], arguments: list[str], count: int) -> None:
    assert run(capsys, "perft", *arguments) == f"{count}\n"


def test_perft_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "perft", "tawla31(runner=pass)", "1", "--json"))
    assert data.pop("seconds") >= 0
    assert data == {
        "ruleset": "fevga(runner=pass)",
        "position": "24:15/24:15",
        "depth": 1,
        "weighted": False,
        "threads": 1,
        "count": 22,
    }


class RecordingBar:
    """Stands in for `tqdm` and keeps what it is told."""

    made: list[RecordingBar]

    def __init__(self, **options: object) -> None:
        self.options = options
        self.total: int | None = None
        self.n = 0
        self.made.append(self)

    def __enter__(self) -> RecordingBar:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, more: int) -> None:
        assert more >= 0
        self.n += more


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[RecordingBar]:
    monkeypatch.setattr(RecordingBar, "made", [], raising=False)
    monkeypatch.setattr("tqdm.tqdm", RecordingBar)
    return RecordingBar.made


def test_perft_shows_progress_on_a_terminal_after_a_second(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, bars: list[RecordingBar]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(capsys, "perft", "fevga", "3") == "21893\n"
    (bar,) = bars
    assert bar.options["delay"] == 1
    assert bar.n == bar.total
    assert bar.n > 0


def test_perft_shows_no_progress_elsewhere(
    capsys: pytest.CaptureFixture[str], bars: list[RecordingBar]
) -> None:
    assert run(capsys, "perft", "fevga", "3") == "21893\n"
    assert bars == []


def test_perft_is_silent_on_a_terminal_when_it_is_quick(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(capsys, "perft", "fevga", "1") == "22\n"


def test_perft_works_without_tqdm(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert run(capsys, "perft", "fevga", "1") == "22\n"


# bench


def test_bench_times_the_games_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    text = "fevga(mother_prime=free)"
    lines = run(capsys, "bench", "hypergammon", text, "--rounds", "1").splitlines()
    assert [line[: len(text)].strip() for line in lines[2:]] == ["hypergammon", text]
    assert lines[1].split() == ["rolls", "results", "single", "calls", "games", "perft", "paths"]
    assert all(int(each.replace(",", "")) > 100 for each in lines[2].split()[1:])


def test_bench_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "bench", "hypergammon", "--rounds", "1", "--json"))
    assert found["cpu"] == tf.cpu.level
    assert set(found["a_second"]) == {"hypergammon"}
    assert found["a_second"]["hypergammon"]["results"] > 100


def test_a_bench_of_no_rounds_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "hypergammon", "--rounds", "0"]) == 2
    assert capsys.readouterr().err == "tavli-fast: error: rounds is at least 1, not 0\n"


# info


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "info")
    assert tf.__version__ in out
    assert tf.cpu.level in out
    for name, row in tf.RULESETS.items():
        (line,) = (line for line in out.splitlines() if line.split()[0] == name)
        assert all(f"{option}={getattr(row, option)}" in line for option in row.options)


def test_info_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "info", "--json"))
    assert data["version"] == tf.__version__
    assert data["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert data["cpu"]["level"] in data["cpu"]["built"]
    assert data["cpu"]["level"] in data["cpu"]["supported"]
    assert list(data["rulesets"]) == list(tf.RULESETS)
    assert data["rulesets"]["moultezim"]["runner"] == "pass"


# Bad input and other ends


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["dance"], "dance"),
        (["moves"], "the following arguments are required: RULESET, POSITION"),
        (["moves", "portes", "start"], "the following arguments are required: ROLL"),
        (["moves", "portes", XGID.replace("52", "00")], "arguments are required: ROLL"),
        (["moves", "fevga", XGID], "fevga has no XGID"),
        (["moves", "portes", "fevga:AACA_z8AAID_Pw", "31"], "of fevga, not of portes"),
        (["show", "portes", "portes:4HPwATDgc_ABM"], "'portes:4HPwATDgc_ABM' is damaged"),
        (["show", "portes", "start", "--below", "me"], "argument --below: invalid choice: 'me'"),
        (["moves", "portes", "start", "31", "more"], "unrecognized arguments: more"),
        (["show", "portes", "start", "two\nlines"], "'two\\nlines' is not a roll"),
        (["show", "portes", "start", "--jsn"], "unrecognized arguments: --jsn"),
        (["moves", "chess", "start", "31"], "unknown game 'chess'; the games are portes, "),
        (["moves", "portes(runner=pass)", "start", "31"], "portes has no option 'runner'"),
        (["moves", "fevga(runner=x)", "start", "31"], "fevga: runner cannot be 'x'"),
        (["moves", "portes", "begin", "31"], "'begin' is not a position"),
        (["moves", "portes", "24:2,x/24:15", "31"], "cannot read 'x' in the position"),
        (["moves", "portes", "24:16/24:99,1:1", "31"], ""),
        (["show", "fevga", "12:15/24:15"], ""),
        (["moves", "portes", "start", "37"], "'37' is not a roll; write two dice like 31"),
        (["moves", "portes", "start", "3\n7"], "'3\\n7' is not a roll"),
        (["moves", "mul\ntezim", "start", "31"], "unknown game 'mul\\ntezim'"),
        (["bearoff", "portes", "start"], "the sides are in contact"),
        (["bearoff", "nardy(six_prime=forbidden)", "6:1/4:1"], "bears off by a rule of its own"),
        (["bearoff", "plakoto", "16:1/6:1"], "15 checkers on 16 points have "),
        (["bearoff", "portes", "6:1/4:1", "--starter", "me"], "invalid choice: 'me'"),
        (["bearoff", "portes", "6:1/4:1", "--table", "."], "cannot read '.': it is not a file"),
        (["bearoff", "portes", "6:1/4:1", "--table", ""], "cannot write '': "),
        (["perft", "portes", "x"], "argument DEPTH: invalid int value: 'x'"),
        (["perft", "portes", "-1"], ""),
        (["perft", "portes", "9" * 30], ""),
        (["perft", "portes", "1", "--threads", "0"], ""),
        (["perft", "portes", "1", "--threads", "two"], "argument --threads: invalid int value"),
        (["perft", "portes", "1", "--position"], "argument --position: expected one argument"),
        (["perft", "portes", "1", "--position", "24:1"], "'24:1' is not a position"),
    ],
)
def test_bad_input_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tavli-fast: error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert message in err
    assert len(err) > len("tavli-fast: error: \n")


def test_ctrl_c_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(text: str) -> tf.Ruleset:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "find_ruleset", interrupt)
    assert main(["perft", "portes", "1"]) == 130
    assert capsys.readouterr() == ("", "")


def test_other_faults_of_the_system_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> tf.Ruleset:
        raise PermissionError(13, "not allowed")

    monkeypatch.setattr(command_line, "find_ruleset", fail)
    with pytest.raises(PermissionError):
        main(["perft", "portes", "1"])


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"tavli-fast {tf.__version__}\n"


@pytest.mark.parametrize(
    "command", [[], ["moves"], ["show"], ["primes"], ["bearoff"], ["perft"], ["info"]]
)
def test_help(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(" ".join(["usage: tavli-fast", *command]))


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tavli_fast", *arguments]
    return subprocess.run(
        command, **{"stdout": subprocess.PIPE, **options}, stderr=subprocess.PIPE, text=True
    )


def test_as_a_module() -> None:
    done = process("moves", "fevga", "start", "65")
    assert (done.returncode, done.stdout, done.stderr) == (0, "24/13\n", "")
    failed = process("moves", "fevga", "start", "67")
    message = "tavli-fast: error: '67' is not a roll; write two dice like 31, 3-1 or 3,1\n"
    assert (failed.returncode, failed.stdout, failed.stderr) == (2, "", message)


def test_a_reader_that_has_gone_is_no_complaint() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = process("moves", "portes", "start", "11", stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
