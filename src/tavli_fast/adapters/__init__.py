"""Other libraries' interfaces to these games, one file a library; none is loaded by itself.

Each adapter names the extra that brings the library it adapts to.
"""
