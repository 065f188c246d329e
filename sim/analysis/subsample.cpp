#include "sim/analysis/subsample.hpp"

#include <array>

#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace aureole::run {
namespace {

/// Of the random stream: no other draw shares its numbers.
constexpr std::uint32_t purpose_of_subsamples = 0x73756273;

/// Those for which `counts` holds, each with probability `share`.
template <class Counts>
std::vector<Index> kept(std::span<const std::uint64_t> id, double share, std::uint64_t seed, Counts counts)
{
    std::vector<std::uint8_t> keep(id.size());
#pragma omp parallel for if (id.size() > parallel_threshold)
    for (std::size_t i = 0; i < id.size(); ++i)
        keep[i] = counts(i) && Random(seed, id[i], purpose_of_subsamples).uniform() < share;
    std::vector<Index> kept;
    for (std::size_t i = 0; i < id.size(); ++i)
        if (keep[i]) kept.push_back(static_cast<Index>(i));
    return kept;
}

}  // namespace

std::vector<Index> subsample(std::span<const std::uint64_t> id, std::uint64_t factor, std::uint64_t seed)
{
    AUREOLE_EXPECT(factor > 0, "one particle in 0, expected in 1 or more");
    return kept(id, 1 / static_cast<double>(factor), seed, [](std::size_t) { return true; });
}

std::vector<Index> chosen_particles(const Particles& host, const SnapshotChoice& choice, std::uint64_t seed)
{
    std::array<bool, n_particle_types> held;
    held.fill(choice.types.empty());
    for (const int type : choice.types) held.at(static_cast<std::size_t>(type)) = true;
    const auto types = host.type.host();
    return kept(host.id.host(), choice.share(), seed, [&](std::size_t i) { return held[types[i]]; });
}

}  // namespace aureole::run
