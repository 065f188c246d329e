// A displaced lattice in a periodic box: particles at x = q + D s(q) of sites q, kinematic: the
// velocities follow from no force. The displacement is a sum of plane waves of the size that Zel'dovich's
// (1970) pancake has,
//     s(q) = - sum_j k_j / |k_j|^2 sin(k_j . q + phi_j),   k_j = 2 pi m_j / side, m_j integers,
// so that a wave alone folds at D = 1. O(N waves).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ics/check_config.hpp"
#include "ics/component.hpp"
#include "ics/model.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"
#include "sim/core/numerics/portable_math.hpp"
#include "sim/core/random.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::ics {
namespace {

class DisplacedLattice {
public:
    /// Of a checked component.
    DisplacedLattice(const Component& component, std::uint64_t seed);

    std::uint32_t side() const { return side_; }

    /// Where the particle of site (i n + j) n + k is, inside the box, and how it moves. Its random offset is
    /// named by `id`.
    PhaseSpacePoint particle(std::uint64_t site, std::uint64_t id) const;

private:
    struct Wave {
        int m[3];
        double turns;  ///< phase
        Vec3 size;     ///< k / |k|^2
    };

    Vec3 displacement(const std::uint64_t (&site)[3]) const;

    const Component& component_;
    std::uint64_t seed_;
    std::uint32_t side_;
    std::vector<Wave> waves_;
};

/// The n of n^3 particles; 0 when they are no cube.
std::uint32_t lattice_side(std::uint64_t particles)
{
    const auto n = static_cast<std::uint64_t>(std::llround(std::cbrt(static_cast<double>(particles))));
    return n < 1u << 21 && n * n * n == particles ? static_cast<std::uint32_t>(n) : 0;
}

constexpr double two_pi = 6.283185307179586476925;
constexpr std::uint32_t purpose_of_offsets = 0x6c617474, purpose_of_phases = 0x70686173;

void check_waves(const std::string& where, const std::vector<int>& m)
{
    if (m.size() % 3 != 0)
        refuse(where,
               fmt::format("lattice.wave_vectors holds {} integers, expected three for each wave", m.size()));
    for (std::size_t k = 0; k < m.size(); k += 3) {
        if (m[k] == 0 && m[k + 1] == 0 && m[k + 2] == 0)
            refuse(where, fmt::format("lattice.wave_vectors, wave {}: is [0, 0, 0], which displaces nothing",
                                      k / 3));
        for (const int component : {m[k], m[k + 1], m[k + 2]})
            if (component > 1000000 || component < -1000000)
                refuse(where,
                       fmt::format("lattice.wave_vectors holds {}, expected at most 1000000", component));
    }
}

void check_lattice(const std::string& where, const Component& c)
{
    const LatticeWaves& lattice = c.lattice;
    if (lattice_side(c.particles) < 2)
        refuse(where, fmt::format("particles is {}, expected a cube number of at least 8", c.particles));
    expect_positive(where, "mass", c.mass);
    expect_positive(where, "lattice.box_side", lattice.box_side);
    expect_finite_value(where, "lattice.growth_factor", lattice.growth_factor);
    expect_finite_value(where, "lattice.wave_velocity", lattice.wave_velocity);
    if (!(lattice.random_offset >= 0 && lattice.random_offset <= 1))
        refuse(where, fmt::format("lattice.random_offset is {}, expected 0 to 1 lattice spacings",
                                  lattice.random_offset));
    check_waves(where, lattice.wave_vectors);
}

class Lattice final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override { check_lattice(where, c); }
    double carried_mass(const Component& c) const override { return c.mass; }
    bool stays_in_place(const Component&) const override { return true; }
    bool stands_alone() const override { return true; }

    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        const Component& component = config.components[number];
        const DisplacedLattice lattice(component, config.seed);
#pragma omp parallel for if (slot.n > parallel_threshold)
        for (Index k = 0; k < slot.n; ++k) {
            const Index i = slot.first + k;
            const PhaseSpacePoint point = lattice.particle(k, p.id[i]);
            p.mass[i] = component.mass / slot.n;
            p.position.store(i, point.position);
            p.velocity.store(i, point.velocity);
        }
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_lattice_model() { return std::make_unique<Lattice>(); }

std::vector<Setting<Component>> lattice_settings()
{
    using L = LatticeWaves;
    constexpr auto number = Quantity::number;
    std::vector<Setting<L>> settings{
        setting("box_side", Quantity::length, &L::box_side,
                "of the periodic box that a lattice of n^3 particles fills", not_negative()),
        setting("growth_factor", number, &L::growth_factor, "D of x = q + D s(q); a wave alone folds at 1"),
        setting(
            "wave_vectors", number, &L::wave_vectors,
            "three integers for each plane wave of s, in 2 pi / box_side: [[1, 0, 0]] is a pancake; also all "
            "in one list, [1, 0, 0]"),
        setting("random_phases", number, &L::random_phases,
                "phases of the waves drawn by seed; all 0 without"),
        setting("wave_velocity", Quantity::velocity, &L::wave_velocity,
                "largest speed that a wave of the box's length gives; velocities are proportional to s"),
        setting("random_offset", number, &L::random_offset,
                "largest random offset along each axis, in lattice spacings",
                {[](double x) { return x >= 0 && x <= 1; }, "a number from 0 to 1"}),
    };
    std::ranges::find(settings, "wave_vectors", &Setting<L>::path)->row_length = 3;
    std::vector<Setting<Component>> result;
    append_settings(result, "lattice.", settings, &Component::lattice);
    return result;
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
