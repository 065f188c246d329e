"""Snapshots opened by pynbody."""


def load(snapshot):
    """pynbody.load() of the file."""
    import pynbody

    return pynbody.load(snapshot.path)
