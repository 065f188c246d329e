"""load_grid(path): a uniform grid of `aureole density` as a data set of yt; also aureole.interop.yt_files.load_grid."""
from packaged import packaged

load_grid = packaged("yt_files").load_grid
