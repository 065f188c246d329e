#include "halo/centres/check_input.hpp"

#include "halo/needed_arrays.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

bool usable(const ConstParticlesView& p, Index i)
{
    const Vec3 x = p.position.load(i);
    return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z) && std::isfinite(p.mass[i]) &&
           p.mass[i] >= 0;
}

/// First entry of the lists that cannot be used, or their length.
std::size_t first_unusable(const ConstParticlesView& p, const std::vector<Index>& particle)
{
    std::size_t first = particle.size();
#pragma omp parallel for reduction(min : first) if (particle.size() > parallel_threshold)
    for (std::size_t k = 0; k < particle.size(); ++k)
        if (particle[k] >= p.n || !usable(p, particle[k])) first = std::min(first, k);
    return first;
}

}  // namespace

void expect_usable(const ConstParticlesView& p, const Members& members, const Box& box)
{
    expect_arrays(p, Backend::cpu, "a search for centres", {.mass = true});
    AUREOLE_EXPECT(box.side >= 0 && std::isfinite(box.side), "box of side {}, expected 0 (open) or more",
                   box.side);
    const auto& begin = members.begin;
    AUREOLE_EXPECT(!begin.empty() && begin.front() == 0 && begin.back() == members.particle.size() &&
                       std::is_sorted(begin.begin(), begin.end()),
                   "member lists do not cover their {} particles one after the other",
                   members.particle.size());
    const std::size_t bad = first_unusable(p, members.particle);
    if (bad == members.particle.size()) return;
    const Index i = members.particle[bad];
    AUREOLE_EXPECT(i < p.n, "entry {} of the member lists is particle {}, there are {}", bad, i, p.n);
    AUREOLE_EXPECT(false,
                   "particle {} (id {}) has position ({}, {}, {}) and mass {}, expected finite ones and no "
                   "negative mass",
                   i, p.id_of(i), p.position.x[i], p.position.y[i], p.position.z[i], p.mass[i]);
}

void expect_there(Exec exec, const ConstParticlesView& particles, const MembersView& members)
{
    expect_arrays(particles, exec.backend, "a search for centres", {.mass = true});
    AUREOLE_EXPECT(members.n_members <= max_particles, "{} members in all lists, at most {} are possible",
                   members.n_members, max_particles);
}

void expect_finite_energies(const Centres& centres, const ConstParticlesView& host)
{
    for (std::size_t list = 0; list < centres.particle.size(); ++list) {
        const Index i = centres.particle[list];
        AUREOLE_EXPECT(
            i == no_particle || std::isfinite(centres.value[list]),
            "the energy of particle {} (id {}, mass {}), the most bound of its group, is {}: expected "
            "masses, distances and velocities in units in which potentials and squared velocities "
            "stay below 1.8e308",
            i, host.id_of(i), host.mass[i], centres.value[list]);
    }
}

void expect_sensible(const CentreConfig& config)
{
    AUREOLE_EXPECT(config.softening >= 0 && std::isfinite(config.softening),
                   "softening length {}, expected 0 or more", config.softening);
}

}  // namespace aureole::halo
