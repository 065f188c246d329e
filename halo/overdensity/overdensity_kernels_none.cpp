// Builds without CUDA: nobody gets here, the door refuses first.
#include "halo/overdensity/overdensity_kernels.hpp"

namespace aureole::halo {

void search_small_spheres(CUstream_st*, const SphereSearch&) { throw_not_built(Backend::cuda); }

void search_large_spheres(CUstream_st*, const SphereSearch&) { throw_not_built(Backend::cuda); }

void start_huge_spheres(CUstream_st*, const SphereSearch&, const HugeSearch&, Index)
{
    throw_not_built(Backend::cuda);
}

void continue_huge_spheres(CUstream_st*, const SphereSearch&, const HugeSearch&)
{
    throw_not_built(Backend::cuda);
}

}  // namespace aureole::halo
