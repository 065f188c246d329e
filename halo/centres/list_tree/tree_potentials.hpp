// Potentials of all members of a long list on the host, by the tree of list_tree.hpp.
#pragma once

#include "halo/centres/bodies.hpp"

namespace aureole::halo::list_tree {

/// phi of every body, to `potential`; `axis_bits` as in axis_bits_below(), for the order of members to be
/// that of a GPU. Equal bit for bit for any number of threads and any instruction set. Cost n log n, some 3
/// microseconds a body. Scratch: 200 bytes a body.
void set_potentials(const Bodies& bodies, double softening, int axis_bits, double* potential);

}  // namespace aureole::halo::list_tree
