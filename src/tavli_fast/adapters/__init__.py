"""Other libraries' interfaces to these games, one file a library; none is loaded by itself.

Where an adapter needs its library, the error that says so names the extra that brings it.

>>> from tavli_fast.adapters import gnubg_nn
>>> len(gnubg_nn.moves(gnubg_nn.board_from_position_id("4HPwATDgc/ABMA"), 3, 1))
16
"""
