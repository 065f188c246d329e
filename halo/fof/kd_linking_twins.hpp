// The two implementations behind link_tree().
#pragma once

#include "halo/fof/linking.hpp"

namespace aureole::halo::detail {

void link_tree_cpu(const LinkTask& task);
void link_tree_cuda(CUstream_st* stream, const LinkTask& task);

}  // namespace aureole::halo::detail
