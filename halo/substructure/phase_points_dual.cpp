#include <bit>

#include "halo/copy_bytes.hpp"
#include "halo/substructure/phase_points.hpp"
#include "halo/substructure/segment_sums_dual.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

AUREOLE_HD std::uint64_t id_of(const ConstParticlesView& particles, Index i)
{
    return particles.id ? particles.id[i] : i;
}

/// What sorting by id has to do.
struct IdSummary {
    std::uint64_t largest, n_out_of_order;
};

IdSummary summary_of(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                     const Index* group, Arena& arena)
{
    const Arena::Frame frame(arena);
    auto* const summary = arena.take<IdSummary>(1);
    for_each(exec, 1, [=] AUREOLE_HD(Index) { *summary = {0, 0}; });
    constexpr Index per_lane = 16;
    const auto n = static_cast<Index>(groups.n_members);
    for_each(exec, (n + per_lane - 1) / per_lane, [=] AUREOLE_HD(Index lane) {
        std::uint64_t largest = 0, out = 0;
        for (Index k = lane * per_lane; k < n && k < (lane + 1) * per_lane; ++k) {
            const std::uint64_t id = id_of(particles, groups.particle[k]);
            largest = id > largest ? id : largest;
            if (k > 0 && group[k - 1] == group[k] && id_of(particles, groups.particle[k - 1]) > id) ++out;
        }
        atomic_max(&summary->largest, largest);
        if (out > 0) atomic_add(&summary->n_out_of_order, out);
    });
    return fetched(exec, summary);
}

/// particle[k] = the members by group and id.
void order_members(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                   const Index* group, Index* particle, Arena& arena)
{
    const auto n = static_cast<Index>(groups.n_members);
    const IdSummary summary = summary_of(exec, particles, groups, group, arena);
    if (summary.n_out_of_order == 0) {
        for_each(exec, n, [=] AUREOLE_HD(Index k) { particle[k] = groups.particle[k]; });
        return;
    }
    const Arena::Frame frame(arena);
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), arena.take<Index>(n),
                      arena.take<Index>(n)};
    auto* const scratch = arena.take<std::byte>(sort_pairs_scratch_bytes(exec.backend, n));
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        pairs.key[k] = id_of(particles, groups.particle[k]);
        pairs.value[k] = k;
    });
    sort_pairs(exec, n, pairs, std::max(1, static_cast<int>(std::bit_width(summary.largest))), scratch);
    for_each(exec, n, [=] AUREOLE_HD(Index k) { pairs.key[k] = group[pairs.value[k]]; });
    sort_pairs(exec, n, pairs, std::max(1, static_cast<int>(std::bit_width(groups.n_lists))), scratch);
    const Index* const entry = pairs.value;
    for_each(exec, n, [=] AUREOLE_HD(Index k) { particle[k] = groups.particle[entry[k]]; });
}

}  // namespace

PhasePoints gather_phase_points(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                                std::uint64_t longest, const Box& box, double gravitational_constant,
                                Arena& arena)
{
    const auto n = static_cast<Index>(groups.n_members);
    const PhasePoints points{n,
                             groups.n_lists,
                             longest,
                             groups.begin,
                             arena.take<Index>(n),
                             arena.take<Index>(n),
                             arena.take<double>(n),
                             arena.take<Vec3>(n),
                             arena.take<Vec3>(n),
                             arena.take<Vec3>(groups.n_lists)};
    for_each(exec, n, [=] AUREOLE_HD(Index k) { points.group[k] = segments::list_of_entry(groups, k); });
    order_members(exec, particles, groups, points.group, points.particle, arena);
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = points.particle[k], g = points.group[k];
        const Vec3 origin = particles.position.load(points.particle[points.begin[g]]);
        if (k == points.begin[g]) points.origin[g] = origin;
        points.mass[k] = gravitational_constant * particles.mass[i];
        points.position[k] = box.nearest(particles.position.load(i) - origin);
        points.velocity[k] = particles.velocity.load(i);
    });
    return points;
}

void find_moments(Exec exec, const PhasePoints& points, const PointLists& lists, Arena& arena, Moments* row)
{
    const Arena::Frame frame(arena);
    // mass; momenta weighted by mass; the same with a weight of one
    auto* const first = arena.take<RowSums<13>>(lists.n_lists);
    const SegmentedLists of{lists.view(), lists.longest};
    segment_sums<13>(exec, of, arena, first, [=] AUREOLE_HD(RowSums<13> & sums, Index k, Index) {
        const Index i = lists.point[k];
        const double m = points.mass[i];
        const Vec3 x = points.position[i], v = points.velocity[i];
        const double term[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
        sums.at[0] += m;
        for (int t = 0; t < 6; ++t) {
            sums.at[1 + t] += m * term[t];
            sums.at[7 + t] += term[t];
        }
    });
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) {
        const RowSums<13>& s = first[l];
        const auto n = static_cast<double>(lists.begin[l + 1] - lists.begin[l]);
        const bool massive = s.at[0] > 0;
        const double per = massive ? 1 / s.at[0] : n > 0 ? 1 / n : 0;
        const double* const t = s.at + (massive ? 1 : 7);
        row[l] = {{per * t[0], per * t[1], per * t[2]}, {per * t[3], per * t[4], per * t[5]}, 0, 0, s.at[0]};
    });
    auto* const second = arena.take<RowSums<2>>(lists.n_lists);
    segment_sums<2>(exec, of, arena, second, [=] AUREOLE_HD(RowSums<2> & sums, Index k, Index l) {
        const Index i = lists.point[k];
        const double weight = row[l].mass > 0 ? points.mass[i] : 1;
        const Vec3 dx = points.position[i] - row[l].position, dv = points.velocity[i] - row[l].velocity;
        sums.at[0] += weight * dot(dx, dx);
        sums.at[1] += weight * dot(dv, dv);
    });
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) {
        const double n = static_cast<double>(lists.begin[l + 1] - lists.begin[l]);
        const double weights = row[l].mass > 0 ? row[l].mass : n;
        if (!(weights > 0)) return;
        row[l].size = std::sqrt(second[l].at[0] / (3 * weights));
        row[l].speed = std::sqrt(second[l].at[1] / (3 * weights));
    });
}

std::uint64_t first_unusable(Exec exec, const ConstParticlesView& particles, const MembersView& groups,
                             Arena& arena)
{
    const Arena::Frame frame(arena);
    auto* const first = arena.take<std::uint64_t>(1);
    for_each(exec, 1, [=] AUREOLE_HD(Index) { *first = groups.n_members; });
    for_each(exec, static_cast<Index>(groups.n_members), [=] AUREOLE_HD(Index k) {
        const Index i = groups.particle[k];
        bool good = i < particles.n;
        if (good) {
            const Vec3 x = particles.position.load(i), v = particles.velocity.load(i);
            const double m = particles.mass[i], xx = dot(x, x), vv = dot(v, v);
            good = xx - xx == 0 && vv - vv == 0 && m - m == 0;
        }
        if (!good) atomic_min(first, static_cast<std::uint64_t>(k));
    });
    return fetched(exec, first);
}

}  // namespace aureole::halo
