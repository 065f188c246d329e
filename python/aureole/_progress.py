"""How far long work has come: nothing, a bar of tqdm (or lines where it is not installed), or the caller's function."""
import contextlib
import sys


@contextlib.contextmanager
def reporting(progress):
    """Yields the callable (fraction, what) that C++ calls, or None. `progress`: False, True, or a callable (what, fraction)."""
    if not progress:
        yield None
    elif callable(progress):
        yield lambda fraction, what: progress(what, fraction)
    else:
        with _bar() as advance:
            yield advance


def part(report, begin, end):
    """What C++ calls for work that is the part [begin, end] of what `report`, of reporting(), is told of."""
    if report is None:
        return None
    return lambda fraction, what: report(begin + (end - begin) * fraction, what)


@contextlib.contextmanager
def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _lines()
        return
    with tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        def advance(fraction, what):
            bar.set_description_str(what, refresh=False)
            bar.update(fraction - bar.n)
        yield advance
        bar.update(1.0 - bar.n)


def _lines():
    last = [-1]

    def advance(fraction, what):
        percent = int(100 * fraction)
        if percent >= last[0] + 10:
            last[0] = percent
            print(f"{percent:3d} %  {what}", file=sys.stderr)
    return advance
