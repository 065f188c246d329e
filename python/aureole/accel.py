"""python -m aureole.accel SCRIPT [ARGUMENTS...]: runs a script with scikit-learn's DBSCAN replaced, see patch_sklearn()."""
import runpy
import sys

from .cluster import patch_sklearn


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    patch_sklearn()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
