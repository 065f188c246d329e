"""The documentation site: scripts/site builds it, from the folder of the checkout."""
import os
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
project = "Aureole"
author = "The Aureole authors"
release = re.search(r"project\(aureole VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
version = release

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_copybutton",
              "sphinx_design"]
# the pages of the checkout are the pages of the site, where they lie, so that their links hold
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "*/README.md", "*/*/README.md", "*/*/*/README.md", "tests/bench/RESULTS.md"]
exclude_patterns = ["build*", "third_party", "demo_output", "output", ".*"]
# a build outside documents the package that is installed
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_rtype = False
napoleon_use_ivar = True
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_execution_in_temp = True
# scripts/site --quick runs two of the tutorials, which are the others' in kind
if os.environ.get("AUREOLE_SITE_TUTORIALS"):
    run = os.environ["AUREOLE_SITE_TUTORIALS"].split()
    nb_execution_excludepatterns = [f"docs/tutorials/{one.name}" for one in (root / "docs/tutorials").glob("*.md") if one.stem not in run]
# code blocks in C++ of docs/extending.md hold plain text here and there; tutorials that are not run have no lexer
suppress_warnings = ["misc.highlighting_failure", "myst-nb.lexer"]

html_theme = "pydata_sphinx_theme"
html_title = f"Aureole {release}"
html_theme_options = {"show_nav_level": 1, "navigation_with_keys": False, "secondary_sidebar_items": ["page-toc"]}
html_sidebars = {"docs/index": []}


def put_keys(app, name, source):
    """The page of the configuration has tables for readers of the checkout; here its keys are entries that can be linked."""
    if name == "docs/configuration":
        text, marker, _ = source[0].partition("<!-- tables")
        if not marker:
            raise ValueError("docs/configuration.md: found no comment that begins with 'tables', expected it before the first table")
        source[0] = text + (root / "docs/generated/keys.txt").read_text()


def setup(app):
    app.connect("source-read", put_keys)
