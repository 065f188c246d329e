#include "gravity/ranks/domains/curve_ordered.hpp"

#include <algorithm>

#include "gravity/tree/full_order.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::gravity::domains {
namespace {

using tree::CellRuns;
using tree::Frame;

constexpr Exec exec{Backend::cpu};

/// Whether two particles are where nothing but their ids orders them.
bool share_a_place(Vec3 a, Vec3 b, Index place_of_b, const Frame& frame, const CellRuns& runs)
{
    if (tree::deep_curve_key(a, frame).low != tree::deep_curve_key(b, frame).low) return false;
    const tree::CellRun* const run = tree::run_at(runs, place_of_b);
    return !run || tree::curve_key(a, run->frame) == tree::curve_key(b, run->frame);
}

/// Particles with the same id at the same place go by serial.
void order_by_serial(const DomainParticles& of, const Frame& frame, const CellRuns& runs,
                     const SortBuffers& pairs)
{
    const ConstParticlesView p = of.view();
    const auto alike = [&](Index k) {
        const Index a = pairs.value[k - 1], b = pairs.value[k];
        return pairs.key[k - 1] == pairs.key[k] && of.id[a] == of.id[b] &&
               share_a_place(p.position.load(a), p.position.load(b), k, frame, runs);
    };
    const std::vector<Index> found = indices_where(p.n, [&](Index k) { return k > 0 && alike(k); });
    for (std::size_t k = 0; k < found.size();) {
        const std::size_t first = k++;
        while (k < found.size() && found[k] == found[k - 1] + 1) ++k;
        std::ranges::sort(pairs.value + found[first] - 1, pairs.value + found[k - 1] + 1, {},
                          [&](Index i) { return of.serial[i]; });
    }
}

}  // namespace

Untouched<std::uint64_t> curve_keys(const ConstParticlesView& particles, const Frame& frame)
{
    Untouched<std::uint64_t> keys(particles.n);
    Untouched<Index> values(particles.n);
    make_keys_cpu(particles, IndexRange{0, particles.n}, frame,
                  {keys.data(), nullptr, values.data(), nullptr});
    return keys;
}

CurveOrdered curve_ordered(const DomainParticles& from, const Frame& frame, Index first)
{
    const ConstParticlesView p = from.view();
    const Index n = p.n;
    CurveOrdered to;
    to.n = n;
    to.likeness.resize(n + std::size_t{1});
    if (n == 0) {
        to.likeness[0] = 0;
        return to;
    }
    to.keys.resize(2 * std::size_t{n});
    to.values.resize(2 * std::size_t{n});
    SortBuffers& pairs = to.sorted;
    pairs = {to.keys.data(), to.keys.data() + n, to.values.data(), to.values.data() + n};
    Array<std::byte> scratch(sort_pairs_scratch_bytes(Backend::cpu, n));
    tree::Survey survey{};
    tree::order_along_curve(exec, p, IndexRange{0, n}, &frame, pairs, scratch.data(), &survey.crowded);
    CellRuns runs;
    Array<std::byte> bodies;
    if (survey.crowded > 0) {
        Array<std::uint8_t> flags(n);
        scratch.resize(std::max(scratch.size(), select_flagged_scratch_bytes(Backend::cpu, n)));
        bodies.resize((n * sizeof(tree::Body) + 255) / 256 * 256);
        runs = tree::order_fully(exec, p, n, &frame,
                                 {pairs, bodies.data(), flags.data(), scratch.data(), &survey});
    }
    order_by_serial(from, frame, runs, pairs);
    tree::compare_neighbours(exec, p, n, &frame, pairs.key, pairs.value, runs, to.likeness.data(), first);
    return to;
}

}  // namespace aureole::gravity::domains
