#include "sim/run/friction_hosts.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "gravity/external/field_registry.hpp"
#include "gravity/external/friction.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

constexpr double doubtful_share = 0.01;

/// How far the farthest slowed particle is from the centre, and what the others inside of that carry.
struct Slowed {
    double radius = -1;  ///< none
    double others = 0;
};

Slowed slowed_by(const gravity::FrictionConfig& friction, Vec3 centre, const Particles& particles)
{
    const ConstParticlesView p = particles.view();
    const auto is_slowed = [&](Index i) {
        return std::ranges::find(friction.types, int{p.type_of(i)}) != friction.types.end();
    };
    Slowed result;
    for (Index i = 0; i < p.n; ++i)
        if (is_slowed(i)) result.radius = std::max(result.radius, length(p.position.load(i) - centre));
    for (Index i = 0; i < p.n; ++i)
        if (!is_slowed(i) && length(p.position.load(i) - centre) <= result.radius) result.others += p.mass[i];
    return result;
}

}  // namespace

std::vector<std::string> doubtful_frictions(const Config& internal, const Particles& particles, double time)
{
    std::vector<std::string> sentences;
    for (std::size_t k = 0; k < internal.gravity.fields.size(); ++k) {
        const gravity::FieldConfig& config = internal.gravity.fields[k];
        const auto& friction = config.own.get<gravity::FrictionConfig>();
        if (!friction.given()) continue;
        const auto made = gravity::make_field(config);
        const auto& host = dynamic_cast<const gravity::PotentialField&>(*made.front());
        const gravity::FieldState at = host.state(time);
        const Slowed slowed = slowed_by(friction, at.centre, particles);
        const std::string field = fmt::format("gravity.external.fields.{} ({})", k, config.name);
        if (slowed.radius < 0) {
            sentences.push_back(fmt::format("{}: friction.types is [{}], and no particle is of such a type",
                                            field, io::list_text(friction.types, ", ")));
            continue;
        }
        const double mass = gravity::mass_inside(host.potential(), slowed.radius).value_or(0);
        if (slowed.others <= doubtful_share * mass) continue;
        sentences.push_back(fmt::format(
            "{}: friction by formula is for a halo that is not live, but inside {:.4g} of its centre, where "
            "the slowed particles are, others carry {:.3g} of the field's mass: they slow bodies by "
            "themselves, and that share is counted twice",
            field, slowed.radius, slowed.others / mass));
    }
    return sentences;
}

std::vector<std::string> negative_densities(const Config& internal)
{
    std::vector<std::string> sentences;
    for (std::size_t k = 0; k < internal.gravity.fields.size(); ++k) {
        const gravity::FieldConfig& config = internal.gravity.fields[k];
        const auto made = gravity::make_field(config);
        const auto* const field = dynamic_cast<const gravity::PotentialField*>(made.front().get());
        const auto* const halo =
            field ? std::get_if<gravity::LogarithmicPotential>(&field->potential()) : nullptr;
        if (!halo) continue;
        const double y = 1 / (halo->axis_ratio * halo->axis_ratio),
                     z = 1 / (halo->flattening * halo->flattening);
        const char* const axis = 1 + y < z ? "z" : 1 + z < y ? "y" : y + z < 1 ? "x" : nullptr;
        if (axis)
            sentences.push_back(fmt::format(
                "gravity.external.fields.{} ({}): its density is negative on the {} axis: axis_ratio is "
                "{:.4g} and "
                "flattening {:.4g}; in an axisymmetric one, expected a flattening of 0.7071 or more",
                k, config.name, axis, halo->axis_ratio, halo->flattening));
    }
    return sentences;
}

}  // namespace aureole::run
