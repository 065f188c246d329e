// Builds without CUDA: nobody gets here, memory on a GPU is refused first.
#include "halo/fof/brute_force.hpp"

namespace aureole::halo {

void link_tiles(CUstream_st*, const LinkTask&) { throw_not_built(Backend::cuda); }

}  // namespace aureole::halo
