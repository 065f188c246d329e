// Forces over parts against one tree, for the tests of this folder.
#pragma once

#include <memory>
#include <numeric>

#include "gravity/ranks/domains/domain_forces.hpp"
#include "sim/core/random.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test {

using gravity::domains::CutRule;
using gravity::domains::DomainForces;
using gravity::domains::DomainParticles;
using gravity::domains::DomainReport;
using gravity::domains::EntryParams;

/// Particles [begin, end) of a set, whose serials are their indices.
inline DomainParticles piece_of_set(const Particles& from, std::size_t begin, std::size_t end)
{
    DomainParticles to;
    to.resize(end - begin);
    const ConstParticlesView p = from.view();
    for (std::size_t k = 0; k < to.size(); ++k) {
        const auto i = static_cast<Index>(begin + k);
        const Vec3 x = p.position.load(i), a = p.acceleration.load(i);
        to.x[k] = x.x, to.y[k] = x.y, to.z[k] = x.z;
        to.ax[k] = a.x, to.ay[k] = a.y, to.az[k] = a.z;
        to.mass[k] = p.mass[i];
        to.id[k] = p.id[i];
        to.type[k] = p.type[i];
        to.serial[k] = i;
    }
    return to;
}

/// `V` parts in one process, each with a piece of the set.
struct DomainRun {
    DomainRun(const Particles& set, int V, const gravity::Config& config, const CutRule& rule = {},
              const EntryParams& entries = {}, Backend walked_on = Backend::cpu)
        : parts(*one, V), forces(parts, config, rule, entries, walked_on)
    {
        for (int p = 0; p < V; ++p) {
            const comm::Piece piece =
                comm::piece_of(set.size(), 64, static_cast<std::size_t>(p), static_cast<std::size_t>(V));
            held.push_back(piece_of_set(set, piece.begin, piece.end));
        }
    }

    const DomainReport& evaluate()
    {
        forces.evaluate(held, true);
        return forces.report();
    }

    /// In the order of the set.
    std::vector<Field> fields()
    {
        send_home(parts, held);
        std::vector<Field> all;
        for (const DomainParticles& p : held)
            for (std::size_t k = 0; k < p.size(); ++k) {
                EXPECT_EQ(p.serial[k], all.size());
                all.push_back({{p.ax[k], p.ay[k], p.az[k]}, p.potential[k]});
            }
        return all;
    }

    std::unique_ptr<comm::Communicator> one = comm::one_process();
    comm::Parts parts;
    DomainForces forces;
    std::vector<DomainParticles> held;
};

inline std::size_t n_different(const std::vector<Field>& a, const std::vector<Field>& b)
{
    if (a.size() != b.size()) return std::max(a.size(), b.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        n += std::memcmp(&a[i].acceleration, &b[i].acceleration, sizeof a[i].acceleration) != 0 ||
             std::memcmp(&a[i].potential, &b[i].potential, sizeof a[i].potential) != 0;
    return n;
}

/// Multiples of 64, some of them equal.
inline std::vector<std::uint64_t> random_cuts(std::uint64_t n, int V, unsigned seed)
{
    Random random(seed, 1, 0);
    std::vector<std::uint64_t> cuts;
    for (int k = 1; k < V; ++k)
        cuts.push_back(64 * static_cast<std::uint64_t>(random.uniform() * static_cast<double>(n / 64 + 1)));
    std::ranges::sort(cuts);
    return cuts;
}

}  // namespace aureole::test
