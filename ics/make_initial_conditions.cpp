#include "ics/make_initial_conditions.hpp"

#include <algorithm>
#include <array>

#include "ics/check_config.hpp"
#include "ics/displaced_lattice.hpp"
#include "ics/kepler.hpp"
#include "ics/make_sphere.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {
namespace {

std::uint64_t count_of(const Component& c)
{
    if (c.model == Model::two_body) return 2;
    return c.model == Model::file ? c.given->size() : c.particles;
}

/// The particles [first, first + n) of the result, which one component fills, and where its centre goes.
struct Slot {
    Index first, n;
    PhaseSpacePoint centre;
};

void fill_sphere(const ParticlesView& p, const Slot& slot, const Config& config, std::size_t number)
{
    const Component& component = config.components[number];
    const auto sphere = make_sphere(config, number);
    const double mass = carried_mass(component) / slot.n;
#pragma omp parallel for if (slot.n > parallel_threshold)
    for (Index k = 0; k < slot.n; ++k) {
        const Index i = slot.first + k;
        const PhaseSpacePoint point = sample(*sphere, component, config.seed, p.id[i]);
        p.mass[i] = mass;
        p.position.store(i, slot.centre.position + point.position);
        p.velocity.store(i, slot.centre.velocity + point.velocity);
    }
}

void fill_pair(const ParticlesView& p, const Slot& slot, const Component& component)
{
    const auto& masses = component.elements.masses;
    const PhaseSpacePoint relative = relative_motion(component.elements);
    const double total = masses[0] + masses[1];
    const std::array<double, 2> share{-masses[1] / total, masses[0] / total};
    for (Index k = 0; k < 2; ++k) {
        const Index i = slot.first + k;
        p.mass[i] = masses[k];
        p.position.store(i, slot.centre.position + share[k] * relative.position);
        p.velocity.store(i,
                         slot.centre.velocity + (component.velocity_factor * share[k]) * relative.velocity);
    }
}

void fill_lattice(const ParticlesView& p, const Slot& slot, const Component& component, std::uint64_t seed)
{
    const DisplacedLattice lattice(component, seed);
#pragma omp parallel for if (slot.n > parallel_threshold)
    for (Index k = 0; k < slot.n; ++k) {
        const Index i = slot.first + k;
        const PhaseSpacePoint point = lattice.particle(k, p.id[i]);
        p.mass[i] = component.mass / slot.n;
        p.position.store(i, point.position);
        p.velocity.store(i, point.velocity);
    }
}

void fill_given(const ParticlesView& p, const Slot& slot, const Component& component, bool keep_ids)
{
    const auto mass = component.given->mass.host();
    const auto& x = component.given->position;
    const auto& v = component.given->velocity;
    for (Index k = 0; k < slot.n; ++k) {
        const Index i = slot.first + k;
        p.mass[i] = mass[k];
        p.position.store(i, slot.centre.position + Vec3{x.x.data()[k], x.y.data()[k], x.z.data()[k]});
        p.velocity.store(i, slot.centre.velocity + component.velocity_factor *
                                                       Vec3{v.x.data()[k], v.y.data()[k], v.z.data()[k]});
        p.type[i] = component.given->type.data()[k];
        if (keep_ids) p.id[i] = component.given->id.data()[k];
    }
}

/// Where every component's centre goes, orbit included.
std::vector<PhaseSpacePoint> centres(const Config& config)
{
    std::vector<PhaseSpacePoint> result;
    for (const Component& c : config.components) result.push_back({c.position, c.velocity});
    if (!config.orbit) return result;

    const auto [first, second] = config.orbit->components;
    const double m1 = carried_mass(config.components[first]);
    const double m2 = carried_mass(config.components[second]);
    const PhaseSpacePoint relative = relative_motion(*config.orbit, m1 + m2);
    result[first] = {-m2 / (m1 + m2) * relative.position, -m2 / (m1 + m2) * relative.velocity};
    result[second] = {m1 / (m1 + m2) * relative.position, m1 / (m1 + m2) * relative.velocity};
    return result;
}

/// Mass-weighted means of position and velocity. Sums run over blocks, in order: the same for any number of
/// threads, and rounding that does not grow with N.
PhaseSpacePoint barycentre(const ParticlesView& p)
{
    constexpr Index block = 1024;
    double mass = 0;
    Vec3 x{}, v{};
    for (Index begin = 0; begin < p.n; begin += std::min(block, p.n - begin)) {
        const Index end = begin + std::min(block, p.n - begin);
        double block_mass = 0;
        Vec3 block_x{}, block_v{};
        for (Index i = begin; i < end; ++i) {
            block_mass += p.mass[i];
            block_x = block_x + p.mass[i] * p.position.load(i);
            block_v = block_v + p.mass[i] * p.velocity.load(i);
        }
        mass += block_mass;
        x = x + block_x;
        v = v + block_v;
    }
    if (!(mass > 0)) return {};
    return {1 / mass * x, 1 / mass * v};
}

void shift_to_barycentre(const ParticlesView& p)
{
    const PhaseSpacePoint centre = barycentre(p);
    for (Index i = 0; i < p.n; ++i) {
        p.position.store(i, p.position.load(i) - centre.position);
        p.velocity.store(i, p.velocity.load(i) - centre.velocity);
    }
}

bool stays_in_place(const Component& c)
{
    return c.model == Model::lattice || (c.model == Model::file && !c.recenter);
}

/// Of a checked config.
std::uint64_t total_count(const Config& config)
{
    std::uint64_t total = 0;
    for (const Component& component : config.components) {
        const std::uint64_t n = count_of(component);
        if (n > max_particles - total)
            throw ConfigError(fmt::format(
                "initial_conditions: {} particles and more in all, expected at most {}", n, max_particles));
        total += n;
    }
    return total;
}

}  // namespace

std::uint64_t particle_count(const Config& config)
{
    check_config(config);
    for (std::size_t k = 0; k < config.components.size(); ++k) make_sphere(config, k);
    return total_count(config);
}

Particles make_initial_conditions(const Config& config)
{
    check_config(config);
    Particles particles(Backend::cpu, total_count(config));
    const ParticlesView p = particles.view();
    const std::vector<PhaseSpacePoint> centre = centres(config);
    Index first = 0;
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        const Component& component = config.components[k];
        const Slot slot{first, static_cast<Index>(count_of(component)), centre[k]};
        if (component.model == Model::two_body)
            fill_pair(p, slot, component);
        else if (component.model == Model::file)
            fill_given(p, slot, component, config.components.size() == 1);
        else if (component.model == Model::lattice)
            fill_lattice(p, slot, component, config.seed);
        else
            fill_sphere(p, slot, config, k);
        std::fill_n(p.component + first, slot.n, static_cast<aureole::Component>(k));
        if (component.type) std::fill_n(p.type + first, slot.n, static_cast<ParticleType>(*component.type));
        first += slot.n;
    }
    if (std::ranges::none_of(config.components, stays_in_place)) shift_to_barycentre(p);
    return particles;
}

}  // namespace aureole::ics
