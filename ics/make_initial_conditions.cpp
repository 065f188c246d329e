#include "ics/make_initial_conditions.hpp"

#include <algorithm>

#include "ics/check_config.hpp"
#include "ics/contraction.hpp"
#include "ics/disk/adaptation.hpp"
#include "ics/model.hpp"
#include "ics/overlapping_orbit.hpp"
#include "ics/sphere.hpp"
#include "sim/core/error.hpp"

namespace aureole::ics {
namespace {

/// Where every component's centre goes, orbit included.
std::vector<PhaseSpacePoint> centres(const Config& config)
{
    std::vector<PhaseSpacePoint> result;
    for (const Component& c : config.components) result.push_back({c.position, c.velocity});
    if (!config.orbit) return result;

    const auto [m1, m2] = masses_on_orbit(config);
    const PhaseSpacePoint relative = relative_motion(*config.orbit, m1 + m2);
    const std::array<double, 2> share{-m2 / (m1 + m2), m1 / (m1 + m2)};
    for (std::size_t k = 0; k < result.size(); ++k)
        if (const auto body = body_on_orbit(config, k))
            result[k] = {share[*body] * relative.position, share[*body] * relative.velocity};
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

/// Of a checked config.
std::uint64_t total_count(const Config& config)
{
    std::uint64_t total = 0;
    for (const Component& component : config.components) {
        const std::uint64_t n = make_model(component)->particles(component);
        if (n > max_particles - total)
            throw ConfigError(fmt::format(
                "initial_conditions: {} particles and more in all, expected at most {}", n, max_particles));
        total += n;
    }
    return total;
}

void adapt_spheres(const ParticlesView& p, const Config& config, const std::vector<Slot>& slots,
                   const ReportListener& tell, const Adapter& adapt)
{
    for (const AdaptationTask& task : adaptation_tasks(config, slots)) {
        AUREOLE_EXPECT(static_cast<bool>(adapt),
                       "disk.adapt is true, expected a function that moves particles");
        const std::vector<std::string> notes = adapt(p, task);
        for (std::size_t k = 0; tell && k < notes.size(); ++k)
            tell(task.spheres[k].component, {{}, {notes[k]}});
    }
}

}  // namespace

std::uint64_t particle_count(const Config& given)
{
    check_config(given);
    const Config config = with_orbit_of_points(contracted(given));
    for (std::size_t k = 0; k < config.components.size(); ++k) make_sphere(config, k);
    return total_count(config);
}

Particles make_initial_conditions(const Config& given, const ReportListener& tell, const Adapter& adapt)
{
    check_config(given);
    const Config config = with_orbit_of_points(contracted(given));
    Particles particles(Backend::cpu, total_count(config));
    const ParticlesView p = particles.view();
    const std::vector<PhaseSpacePoint> centre = centres(config);
    std::vector<Slot> slots;
    Index first = 0;
    bool stays = false;
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        const Component& component = config.components[k];
        const auto model = make_model(component);
        const Slot slot{first, static_cast<Index>(model->particles(component)), centre[k]};
        if (tell)
            tell(k, model->fill_and_report(p, slot, config, k));
        else
            model->fill(p, slot, config, k);
        std::fill_n(p.component + first, slot.n, static_cast<aureole::Component>(k));
        if (component.type) std::fill_n(p.type + first, slot.n, static_cast<ParticleType>(*component.type));
        first += slot.n;
        stays = stays || model->stays_in_place(component);
        slots.push_back(slot);
    }
    if (tell)
        if (const std::string note = pericentre_note(config); !note.empty())
            tell(config.orbit->components[0], {{}, {note}});
    adapt_spheres(p, config, slots, tell, adapt);
    if (!stays) shift_to_barycentre(p);
    return particles;
}

}  // namespace aureole::ics
