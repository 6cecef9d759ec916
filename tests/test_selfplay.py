"""Lockstep self-play against `Game` and `Match`, which are the plain law of turns."""

from __future__ import annotations

import io
import itertools
import json
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tavli_fast as tf

VARIANTS = [
    *tf.RULESETS,
    "gul_bara(cascade_from=4)",
    "gul_bara(cascade_extent=single, unfinished=opponent_plays)",
    "gul_bara(unfinished=opponent_plays, bear_off=optional)",
    "gioul(unfinished=forfeit)",
    "long_nardy(last_roll_draw=on)",
    "plakoto(mother=loss, mother_points=3, opening=play_numbers)",
    "fevga(opening=reroll)",
]


def thrown(seed):
    """The dice of a seed, by NumPy's own way to a number below 36."""
    rng = np.random.default_rng(seed)
    while True:
        both = int(rng.integers(36, dtype=np.uint32))
        yield both % 6 + 1, both // 6 + 1


def picked(game, result, row, choose):
    """A choice in row `row` of the batch, and the position it is."""
    first, last = result.offsets[row : row + 2]
    choice = choose(last - first)
    record = result.positions[first + choice : first + choice + 1]
    return choice, tf.from_records(record, game.ruleset)[0]


def same(play, row, game):
    assert tf.from_records(play.positions[row : row + 1], game.ruleset) == [game.position]
    assert tuple(play.rolls[row].tolist()) == game.roll
    assert play.players[row] == game.player
    assert (play.numbers[row] or None) == game.numbers
    assert play.plies[row] == game.plies


@pytest.mark.parametrize("cap", [20, 10_000])
@pytest.mark.parametrize("text", VARIANTS)
def test_games_are_those_of_game(text, cap):
    ruleset = tf.find_ruleset(text)
    number, plies = 3, 60 if cap == 20 else 300
    play = tf.SelfPlay(ruleset, number, 7, ply_cap=cap)
    dice = thrown(7)
    choose = np.random.default_rng(8)

    def begun():
        game = tf.Game.start(ruleset, dice, ply_cap=cap)
        # The dice are one stream: each game throws in its turn.
        assert game.roll
        return game

    games = []
    for row in range(number):
        games.append(begun())
        same(play, row, games[row])
    ended = capped = 0
    for _ in range(plies):
        result = play.afterstates()
        choices, results, movers = [], [], play.players
        for row, game in enumerate(games):
            assert len(game.afterstates()) == np.diff(result.offsets)[row]
            choice, after = picked(game, result, row, choose.integers)
            choices.append(choice)
            game = game.play(after)
            results.append(game.result)
            assert game.result or game.roll
            games[row] = begun() if game.result else game
        ply = play.advance(choices)
        for row, (game, found) in enumerate(zip(games, results, strict=True)):
            same(play, row, game)
            won = found.points if found and found.winner is not None else 0
            assert ply.points[row] == (won if won and found.winner == movers[row] else -won)
            assert ply.terminated[row] == (found is not None and not found.capped)
            assert ply.truncated[row] == (found is not None and found.capped)
            assert found or ply.turned[row] == (play.players[row] != movers[row])
        ended += ply.terminated.sum()
        capped += ply.truncated.sum()
    assert capped if cap == 20 else ended


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.GIOUL], ids=str)
def test_games_that_wait_stay_as_they_are(ruleset):
    number = 4
    play = tf.SelfPlay(ruleset, number, 7, ply_cap=40, record=True)
    dice = thrown(7)

    def begun():
        game = tf.Game.start(ruleset, dice, ply_cap=40)
        assert game.roll
        return game

    games = [begun() for _ in range(number)]
    choose = np.random.default_rng(8)
    for _ in range(200):
        result = play.afterstates()
        waiting = choose.random(number) < 0.5
        choices = np.full(number, 30_000)
        for row in np.flatnonzero(~waiting):
            choices[row], after = picked(games[row], result, row, choose.integers)
            game = games[row].play(after)
            assert game.result or game.roll
            games[row] = begun() if game.result else game
        ply = play.advance(choices, waiting)
        for row, game in enumerate(games):
            same(play, row, game)
        for each in ply:
            assert not each[waiting].any()
    assert len(list(play.recording().replay())) == 200


@pytest.mark.parametrize("waiting", [[True, False], [0, 1, 0], "yes"])
def test_bad_waiting_is_named(waiting):
    play = tf.SelfPlay(tf.PORTES, 3, 1)
    with pytest.raises(ValueError, match=r"waiting has dtype .*, not bool of shape \(3,\)"):
        play.advance([0, 0, 0], waiting)


@pytest.mark.parametrize(
    ("rulesets", "target", "next_starter"),
    [
        (tf.TAVLI, 5, "previous_winner"),
        (tf.TAVLI, 3, "roll"),
        ((tf.GIOUL, tf.HYPERGAMMON), 7, "previous_winner"),
    ],
)
def test_matches_are_those_of_match(rulesets, target, next_starter):
    play = tf.SelfPlay(rulesets, 1, 3, target=target, next_starter=next_starter, ply_cap=120)
    dice = thrown(3)
    start = {"rulesets": rulesets, "target": target, "next_starter": next_starter, "ply_cap": 120}
    match = tf.Match.start(dice, **start)
    choose = np.random.default_rng(4)
    matches = draws = 0
    for _ in range(2500):
        game = match.game
        same(play, 0, game)
        assert tuple(play.scores[0].tolist()) == match.score
        assert rulesets[play.games[0]] == game.ruleset
        choice, after = picked(game, play.afterstates(), 0, choose.integers)
        match = match.play(after)
        ply = play.advance([choice])
        assert ply.match_over[0] == match.is_over
        draws += bool(ply.truncated[0])
        if match.is_over:
            matches += 1
            match = tf.Match.start(dice, **start)
    assert matches > 1
    assert draws or tf.HYPERGAMMON in rulesets


@pytest.mark.parametrize("rulesets", [tf.TAVLI, tf.GUL_BARA], ids=["tavli", "gul_bara"])
def test_a_seed_gives_the_same_games_for_any_number_of_threads(rulesets):
    def played(threads):
        play = tf.SelfPlay(rulesets, 600, 5)
        choose = np.random.default_rng(1)
        for _ in range(60):
            result = play.afterstates(flip=True, threads=threads)
            play.advance(choose.integers(np.diff(result.offsets)))
        return play.positions.tobytes(), play.rolls.tobytes()

    assert played(1) == played(2) == played(5)


def test_flipped_afterstates_lead_to_the_same():
    straight, flipped = (tf.SelfPlay(tf.PLAKOTO, 50, 5) for _ in range(2))
    choose = np.random.default_rng(1)
    for _ in range(150):
        choice = choose.integers(np.diff(straight.afterstates().offsets))
        flipped.afterstates(flip=True)
        straight.advance(choice)
        flipped.advance(choice)
        assert (straight.positions == flipped.positions).all()


def test_the_dice_are_fair():
    play = tf.SelfPlay(tf.LONG_NARDY, 20_000, 11)
    seen = np.zeros((6, 6), int)
    for _ in range(5):
        np.add.at(seen, tuple(play.rolls.T - 1), 1)
        play.advance(np.zeros(20_000, int))
    expected = seen.sum() / 36
    # 35 degrees of freedom: 80 is passed once in 60,000 times.
    assert ((seen - expected) ** 2 / expected).sum() < 80


def test_arrays_of_the_state_stay_as_they_were():
    play = tf.SelfPlay(tf.PORTES, 5, 1)
    before, rolls = play.positions, play.rolls
    kept = before.copy()
    play.advance(np.zeros(5, int))
    assert (before == kept).all()
    assert not (play.positions == kept).all()
    for array in (before, rolls, play.positions, play.rolls, play.players):
        assert not array.flags.writeable


def test_more_results_than_ever_before_are_no_matter():
    play = tf.SelfPlay(tf.PORTES, 40, 1)
    play._room = 50
    counts = tf.count_afterstates(play.positions, play.rolls, tf.PORTES)
    assert (np.diff(play.afterstates().offsets) == counts).all()
    play.advance(counts - 1)
    assert len(play.afterstates(out=tf.empty_records(10_000)).positions) > 0


def test_out_that_is_too_small_is_refused():
    play = tf.SelfPlay(tf.PORTES, 40, 1)
    with pytest.raises(ValueError, match=r"out has 3 rows; [0-9]+ are needed"):
        play.afterstates(out=tf.empty_records(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((), 1, 1), "a match is of 1 to 16 rulesets, not 0"),
        ((tf.TAVLI * 6, 1, 1), "a match is of 1 to 16 rulesets, not 18"),
        (("fevga", 1, 1), "ruleset is 'f', not a Ruleset"),
        ((tf.FEVGA, 0, 1), "n is an integer from 1 to"),
        ((tf.FEVGA, 1.5, 1), "n is an integer from 1 to"),
        ((tf.FEVGA, 1, "dice"), "rng is a numpy.random.Generator or a seed, not 'dice'"),
        ((tf.FEVGA, 1, -1), "rng is a numpy.random.Generator or a seed, not -1"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.SelfPlay(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0}, "target is an integer from 1 to"),
        ({"next_starter": "loser"}, "next_starter cannot be 'loser'"),
        ({"ply_cap": 0}, "ply_cap is an integer from 1 to"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        tf.SelfPlay(tf.TAVLI, 1, 1, **options)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ([0], r"choice has dtype int64 and shape \(1,\), not integers of shape \(3,\)"),
        ([0.0, 0.0, 0.0], "choice has dtype float64"),
        ([0, -1, 0], "game 1: there is no choice -1; it has [0-9]+ afterstates"),
        ([0, 0, 10_000], "game 2: there is no choice 10000"),
        (np.array([2**64 - 1, 0, 0], np.uint64), "game 0: there is no choice"),
    ],
)
def test_bad_choices_are_named(choice, message):
    play = tf.SelfPlay(tf.PORTES, 3, 1)
    before = play.positions
    with pytest.raises(ValueError, match=message):
        play.advance(choice)
    assert play.positions is before


# Best of each


@given(
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=20),
    data=st.data(),
    lowest=st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_best_is_the_first_of_the_highest(counts, data, lowest):
    ends = list(itertools.accumulate(counts, initial=0))
    values = data.draw(
        st.lists(st.integers(-3, 3) | st.just(float("inf")), min_size=ends[-1], max_size=ends[-1])
    )
    result = tf.afterstates(tf.start_records(tf.PORTES, 1), (3, 1), tf.PORTES)
    result = result._replace(offsets=np.array(ends))
    pick = min if lowest else max
    expected = [
        values[first:last].index(pick(values[first:last]))
        for first, last in itertools.pairwise(ends)
    ]
    assert result.best(values, lowest=lowest).tolist() == expected


def test_values_must_be_numbers_one_a_result():
    result = tf.afterstates(tf.start_records(tf.PORTES, 1), (3, 1), tf.PORTES)
    with pytest.raises(ValueError, match=r"values have shape \(3,\), not \(16,\)"):
        result.best([1, 2, 3])
    with pytest.raises(ValueError, match="values: item 5 is not a number"):
        result.best([0.0] * 5 + [float("nan")] * 11)


# Recordings


def recorded(ruleset=tf.TAVLI, rng=2, plies=40):
    play = tf.SelfPlay(ruleset, 20, rng, record=True)
    choose = np.random.default_rng(1)
    seen = []
    for _ in range(plies):
        seen.append((play.positions, play.rolls))
        play.advance(choose.integers(np.diff(play.afterstates().offsets)))
    return play, seen


@pytest.mark.parametrize(
    "rng",
    [
        lambda: 3,
        lambda: np.random.Generator(np.random.PCG64DXSM(1)),
        lambda: np.random.Generator(np.random.MT19937(1)),
        lambda: np.random.Generator(np.random.Philox(1)),
        lambda: np.random.Generator(np.random.SFC64(1)),
    ],
    ids=["3", "PCG64DXSM", "MT19937", "Philox", "SFC64"],
)
@pytest.mark.parametrize("ruleset", [tf.TAVLI, tf.GIOUL], ids=["tavli", "gioul"])
def test_a_recording_plays_the_same_again(tmp_path, ruleset, rng):
    play, seen = recorded(ruleset, rng())
    path = tmp_path / "games.npz"
    play.recording().save(path)
    assert [each.name for each in tmp_path.iterdir()] == ["games.npz"]
    kept = tf.Recording.load(path)
    again = [(state.positions, state.rolls) for state, _ in kept.replay()]
    assert len(again) == len(seen)
    for (positions, rolls), (others, other_rolls) in zip(seen, again, strict=True):
        assert (positions == others).all()
        assert (rolls == other_rolls).all()


def test_without_record_there_is_no_recording():
    with pytest.raises(ValueError, match="nothing was recorded"):
        tf.SelfPlay(tf.PORTES, 1, 1).recording()


def test_a_recording_that_comes_out_otherwise_is_refused():
    recording = recorded()[0].recording()
    changed = recording.choices.copy()
    changed[-1] = 0
    with pytest.raises(ValueError, match="do not come out as they did"):
        list(recording._replace(choices=changed).replay())


def test_damaged_recordings_are_refused(tmp_path):
    path = tmp_path / "games.npz"
    recorded(plies=3)[0].recording().save(path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"games\.npz' is no recording of games"):
            tf.Recording.load(path)
    other = json.dumps({"rulesets": ["portes"]}).encode()
    np.savez(path, head=np.frombuffer(other, np.uint8), choices=np.zeros((1, 1), np.int16))
    with pytest.raises(ValueError, match="its head is of something else"):
        tf.Recording.load(path)


def test_files_that_are_not_there_or_none(tmp_path):
    for name, said in ((tmp_path / "none", "No such file"), (tmp_path, "it is not a file")):
        with pytest.raises(ValueError, match=f"is no recording of games: {said}"):
            tf.Recording.load(name)


def test_a_file_that_claims_more_than_any_memory_holds(tmp_path):
    path = tmp_path / "games.npz"
    recorded(plies=3)[0].recording().save(path)
    with zipfile.ZipFile(path) as archive:
        head = archive.read("head.npy")
    claim = io.BytesIO()
    header = {"descr": "<i2", "fortran_order": False, "shape": (2**40, 2**20)}
    np.lib.format.write_array_header_1_0(claim, header)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("head.npy", head)
        archive.writestr("choices.npy", claim.getvalue())
    with pytest.raises(ValueError, match="is no recording of games: "):
        tf.Recording.load(path)


@pytest.mark.parametrize(
    ("kind", "place"), [("MT19937", ("state", "pos")), ("Philox", ("buffer_pos",))]
)
@pytest.mark.parametrize("number", [-(10**8), -1, 625, 2 * 10**9, 2**70, 1.0, None, "0"])
def test_a_generator_is_not_let_read_beyond_its_numbers(tmp_path, kind, place, number):
    """NumPy takes any place, and crashes at the first number."""
    path = tmp_path / "games.npz"
    rng = np.random.Generator(getattr(np.random, kind)(1))
    recorded(tf.GIOUL, rng, 3)[0].recording().save(path)
    kept = tf.Recording.load(path)
    assert len(list(kept.replay())) == 3
    state = kept.head["generator"]
    for name in place[:-1]:
        state = state[name]
    state[place[-1]] = number
    kept.save(path)
    with pytest.raises(ValueError, match="the recording's head is damaged"):
        tf.Recording.load(path).start()


def test_a_generator_that_is_another_one_every_time():
    class Changing(np.random.Generator):
        @property
        def bit_generator(self):
            return np.random.PCG64(1)

    class Foreign(np.random.Generator):
        bit_generator = 5

    plain = tf.SelfPlay(tf.GIOUL, 50, np.random.Generator(np.random.PCG64(1)))
    play = tf.SelfPlay(tf.GIOUL, 50, Changing(np.random.PCG64(2)))
    for _ in range(20):
        assert (play.positions == plain.positions).all()
        for each in (play, plain):
            each.advance(np.zeros(50, int))
    with pytest.raises(ValueError, match=r"rng is a numpy\.random\.Generator"):
        tf.SelfPlay(tf.GIOUL, 50, Foreign(np.random.PCG64(2)))


def test_threads_that_share_the_games():
    """They wait for each other: games of each law stay games of that law."""
    play = tf.SelfPlay([tf.HYPERGAMMON, tf.PORTES], 300, 1, target=1, ply_cap=20)
    plies = 0
    together = threading.Barrier(8)

    def go_on(_: int) -> int:
        together.wait()
        played = 0
        for _ in range(100):
            # Another may have gone on meanwhile, so that a choice but the first is none.
            play.afterstates()
            played += len(play.advance(np.zeros(300, int)).points)
        return played

    with ThreadPoolExecutor(8) as pool:
        plies = sum(pool.map(go_on, range(8)))
    assert plies == 8 * 100 * 300
    for law, ruleset in enumerate(play.rulesets):
        tf.check_records(play.positions[play.games == law], ruleset)
