// Masses of a tree's bodies on a periodic mesh, on a GPU.
#pragma once

#include "gravity/tree/tree_view.hpp"

namespace aureole::gravity::treepm {

/// Point (i, j, k) of n^3 lies at ((i, j, k) + shift) side / n, its value at (i n + j) (n + padding) + k; n
/// is 4 or more.
struct TileTask {
    tree::TreeView tree;
    int n;
    double side, shift;
    int padding;
    float* values;
};

/// Overwrites the values by the masses that PCS assigns to the points. Each tile of the mesh finds its bodies
/// by a walk of the tree and is summed in fixed point, in parts of 2^-31 of the heaviest body or less: equal
/// bits for any order. Cost: a walk for each 16^3 points, and 64 additions in shared memory a body.
void assign_masses_cuda(CUstream_st* stream, const TileTask& task);

}  // namespace aureole::gravity::treepm
