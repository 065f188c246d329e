"""load_octree(path): an octree of `aureole density --octree` as a data set of yt; also aureole.interop.yt_files.load_octree."""
from packaged import packaged

load_octree = packaged("yt_files").load_octree
