#include "sim/analysis/subsample.hpp"

#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace aureole::run {
namespace {

/// Of the random stream: no other draw shares its numbers.
constexpr std::uint32_t purpose_of_subsamples = 0x73756273;

}  // namespace

std::vector<Index> subsample(std::span<const std::uint64_t> id, std::uint64_t factor, std::uint64_t seed)
{
    AUREOLE_EXPECT(factor > 0, "one particle in 0, expected in 1 or more");
    const double share = 1 / static_cast<double>(factor);
    std::vector<std::uint8_t> keep(id.size());
#pragma omp parallel for if (id.size() > parallel_threshold)
    for (std::size_t i = 0; i < id.size(); ++i)
        keep[i] = Random(seed, id[i], purpose_of_subsamples).uniform() < share;
    std::vector<Index> kept;
    for (std::size_t i = 0; i < id.size(); ++i)
        if (keep[i]) kept.push_back(static_cast<Index>(i));
    return kept;
}

}  // namespace aureole::run
