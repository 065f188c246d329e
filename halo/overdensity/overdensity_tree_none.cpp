// Builds without CUDA: nobody gets here, the door refuses first.
#include "halo/overdensity/overdensity_tree.hpp"

namespace aureole::halo {

void summarize_masses(CUstream_st*, const ParticlesView&, const Box&, MassSummary*)
{
    throw_not_built(Backend::cuda);
}

void make_mass_keys(CUstream_st*, const ParticlesView&, const Box&, const MassCurve&, const SortBuffers&,
                    MassPoint*)
{
    throw_not_built(Backend::cuda);
}

void build_mass_tree(CUstream_st*, const MassPoint*, const Index*, const DeviceMassTree&)
{
    throw_not_built(Backend::cuda);
}

}  // namespace aureole::halo
