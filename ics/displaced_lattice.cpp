#include "ics/displaced_lattice.hpp"

#include <cmath>

#include "sim/core/portable_math.hpp"
#include "sim/core/random.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::ics {
namespace {

constexpr double two_pi = 6.283185307179586476925;
constexpr std::uint32_t purpose_of_offsets = 0x6c617474, purpose_of_phases = 0x70686173;

}  // namespace

std::uint32_t lattice_side(std::uint64_t particles)
{
    const auto n = static_cast<std::uint64_t>(std::llround(std::cbrt(static_cast<double>(particles))));
    return n < 1u << 21 && n * n * n == particles ? static_cast<std::uint32_t>(n) : 0;
}

DisplacedLattice::DisplacedLattice(const Component& component, std::uint64_t seed)
    : component_(component), seed_(seed), side_(lattice_side(component.particles))
{
    const LatticeWaves& lattice = component.lattice;
    for (std::size_t k = 0; k + 2 < lattice.wave_vectors.size(); k += 3) {
        Wave wave{{lattice.wave_vectors[k], lattice.wave_vectors[k + 1], lattice.wave_vectors[k + 2]}, 0, {}};
        const Vec3 m{static_cast<double>(wave.m[0]), static_cast<double>(wave.m[1]),
                     static_cast<double>(wave.m[2])};
        wave.size = lattice.box_side / (two_pi * dot(m, m)) * m;
        if (lattice.random_phases) wave.turns = Random(seed, k / 3, purpose_of_phases).uniform();
        waves_.push_back(wave);
    }
}

Vec3 DisplacedLattice::displacement(const std::uint64_t (&site)[3]) const
{
    Vec3 sum{};
    for (const Wave& wave : waves_) {
        std::int64_t phase = 0;  // in turns of 1 / side, exact
        for (int a = 0; a < 3; ++a) phase += wave.m[a] * static_cast<std::int64_t>(site[a]);
        const double turns = static_cast<double>(phase % side_) / side_ + wave.turns;
        sum = sum - portable::sin_cos_of_turns(turns).sin * wave.size;
    }
    return sum;
}

PhaseSpacePoint DisplacedLattice::particle(std::uint64_t number, std::uint64_t id) const
{
    const LatticeWaves& lattice = component_.lattice;
    const std::uint64_t n = side_, site[3] = {number / (n * n), number / n % n, number % n};
    const double spacing = lattice.box_side / side_;
    const Vec3 s = displacement(site);
    Random random(seed_, id, purpose_of_offsets);
    Vec3 x = component_.position + lattice.growth_factor * s;
    x = x + Vec3{spacing * static_cast<double>(site[0]), spacing * static_cast<double>(site[1]),
                 spacing * static_cast<double>(site[2])};
    if (lattice.random_offset > 0) {
        const double reach = lattice.random_offset * spacing;
        const double dx = 2 * random.uniform() - 1, dy = 2 * random.uniform() - 1,
                     dz = 2 * random.uniform() - 1;
        x = x + reach * Vec3{dx, dy, dz};
    }
    const double speed = component_.velocity_factor * lattice.wave_velocity * two_pi / lattice.box_side;
    return {Box{lattice.box_side}.wrap(x), component_.velocity + speed * s};
}

}  // namespace aureole::ics
