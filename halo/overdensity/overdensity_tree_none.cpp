// Builds without CUDA: nobody gets here, the door refuses first.
#include "halo/overdensity/overdensity_tree.hpp"

namespace aureole::halo {

void survey_masses(CUstream_st*, const ParticlesView&, const Box&, MassSurvey*)
{
    throw_not_built(Backend::cuda);
}

void make_mass_keys(CUstream_st*, const ParticlesView&, const Box&, const MassCurve&, const SortBuffers&,
                    MassPoint*)
{
    throw_not_built(Backend::cuda);
}

void build_mass_tree(CUstream_st*, const MassPoint*, const Index*, const ResidentMassTree&)
{
    throw_not_built(Backend::cuda);
}

}  // namespace aureole::halo
