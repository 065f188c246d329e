#include "halo/substructure/unbinding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gravity/solver.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {
namespace {

/// Pairs up to which the direct sum is quicker than a tree.
constexpr std::size_t direct_pairs = std::size_t{1} << 24;
/// Where more are unbound, only the worst leave at once: the others may be held by a core whose velocity is
/// not known yet.
constexpr std::size_t leaving_share = 4;
constexpr std::size_t core_share = 10, least_core = 10;

gravity::Config direct_of(gravity::Config config)
{
    config.solver = "direct";
    return config;
}

/// Of members in any sequence: the `n` with the smallest keys (ties: smaller number), in no sequence.
std::vector<Index> smallest(const std::vector<Index>& member, const std::vector<double>& key, std::size_t n)
{
    std::vector<Index> seat(member.size());
    std::iota(seat.begin(), seat.end(), Index{0});
    const auto lower = [&](Index a, Index b) {
        return key[a] != key[b] ? key[a] < key[b] : member[a] < member[b];
    };
    n = std::min(n, seat.size());
    std::nth_element(seat.begin(), seat.begin() + static_cast<std::ptrdiff_t>(n), seat.end(), lower);
    seat.resize(n);
    std::ranges::sort(seat);
    for (Index& k : seat) k = member[k];
    return seat;
}

PhaseCentre core_of(const GroupPoints& points, const std::vector<Index>& member,
                    const std::vector<double>& key)
{
    const Moments m =
        moments_of(points, smallest(member, key, std::max(member.size() / core_share, least_core)));
    return {m.position, m.velocity};
}

std::vector<double> energies(const GroupPoints& points, const std::vector<Index>& member,
                             const std::vector<double>& potential, Vec3 velocity)
{
    std::vector<double> energy(member.size());
    for (std::size_t k = 0; k < member.size(); ++k) {
        const Vec3 dv = points.velocity[member[k]] - velocity;
        energy[k] = 0.5 * dot(dv, dv) + potential[k];
    }
    return energy;
}

/// Removes members with energy above 0, or the highest of them; returns those removed.
std::vector<Index> take_unbound(const std::vector<double>& energy, std::vector<Index>& member,
                                std::vector<double>& potential)
{
    std::vector<double> unbound;
    for (const double e : energy)
        if (e > 0) unbound.push_back(e);
    double limit = 0;
    if (const std::size_t most = member.size() / leaving_share + 1; unbound.size() > most) {
        const auto at = unbound.end() - static_cast<std::ptrdiff_t>(most);
        std::nth_element(unbound.begin(), at, unbound.end());
        limit = std::nextafter(*at, 0.0);
    }
    std::vector<Index> left;
    std::size_t n_kept = 0;
    for (std::size_t k = 0; k < energy.size(); ++k) {
        if (energy[k] > limit) {
            left.push_back(member[k]);
            continue;
        }
        member[n_kept] = member[k];
        potential[n_kept++] = potential[k];
    }
    member.resize(n_kept);
    potential.resize(n_kept);
    return left;
}

/// The most bound first.
BoundMembers sorted_by_energy(const GroupPoints& points, std::vector<Index> member,
                              std::vector<double> energy, Vec3 velocity)
{
    BoundMembers bound;
    bound.centre = {core_of(points, member, energy).position, velocity};
    std::vector<Index> seat(member.size());
    std::iota(seat.begin(), seat.end(), Index{0});
    std::ranges::sort(seat, [&](Index a, Index b) {
        return energy[a] != energy[b] ? energy[a] < energy[b] : member[a] < member[b];
    });
    for (const Index k : seat) {
        bound.member.push_back(member[k]);
        bound.energy.push_back(energy[k]);
    }
    return bound;
}

}  // namespace

Unbinder::Unbinder(const gravity::Config& gravity)
    : direct_(gravity::make_solver(direct_of(gravity))), solver_(gravity::make_solver(gravity))
{
}

Unbinder::~Unbinder() = default;

std::vector<double> Unbinder::potential(const GroupPoints& points, std::span<const Index> targets,
                                        std::span<const Index> others, Sources sources)
{
    const std::size_t n = targets.size() + others.size();
    Particles gathered(Backend::cpu, n);
    const ParticlesView view = gathered.view();
    for (std::size_t k = 0; k < n; ++k) {
        const Index i = k < targets.size() ? targets[k] : others[k - targets.size()];
        view.mass[k] = points.mass[i];
        view.type[k] = points.type[i];
        view.position.store(static_cast<Index>(k), points.position[i]);
    }
    gravity::ForceRequest request{.potential = true};
    request.targets = {0, static_cast<Index>(targets.size())};
    if (sources == Sources::others) request.sources = {request.targets.range.end, static_cast<Index>(n)};
    const std::size_t n_sources = sources == Sources::all ? n : others.size();
    gravity::Solver& solver = targets.size() * n_sources <= direct_pairs ? *direct_ : *solver_;
    accelerate(solver, {}, view, request);
    return {view.potential, view.potential + targets.size()};
}

BoundMembers Unbinder::bound_of(const GroupPoints& points, std::span<const Index> candidates,
                                std::size_t least)
{
    least = std::max<std::size_t>(least, 1);
    std::vector<Index> member(candidates.begin(), candidates.end());
    if (member.size() < least) return {};
    std::vector<double> phi = potential(points, member, {}, Sources::all);
    Vec3 velocity = core_of(points, member, phi).velocity;
    for (;;) {
        std::vector<double> energy = energies(points, member, phi, velocity);
        velocity = core_of(points, member, energy).velocity;
        energy = energies(points, member, phi, velocity);
        const std::vector<Index> left = take_unbound(energy, member, phi);
        if (left.empty()) return sorted_by_energy(points, std::move(member), std::move(energy), velocity);
        if (member.size() < least) return {};
        if (left.size() > member.size() / leaving_share) {
            phi = potential(points, member, {}, Sources::all);
        } else {
            const std::vector<double> lost = potential(points, member, left, Sources::others);
            for (std::size_t k = 0; k < phi.size(); ++k) phi[k] -= lost[k];
        }
    }
}

BoundMembers Unbinder::all_of(const GroupPoints& points, std::span<const Index> candidates)
{
    const std::vector<Index> member(candidates.begin(), candidates.end());
    const std::vector<double> phi = potential(points, member, {}, Sources::all);
    const Vec3 velocity = core_of(points, member, phi).velocity;
    return sorted_by_energy(points, member, energies(points, member, phi, velocity), velocity);
}

}  // namespace aureole::halo
