#include "ics/black_hole.hpp"

#include "ics/check_config.hpp"
#include "ics/density.hpp"

namespace aureole::ics {
namespace {

/// Keys of extended models.
void check_no_extent(const std::string& where, const Component& c)
{
    const Component none{};
    const auto refuse_key = [&](bool given, const char* key) {
        if (given) refuse(where, fmt::format("{} is set, but a black hole is one point; remove it", key));
    };
    refuse_key(c.particles > 1, "particles");
    refuse_key(c.scale_radius != none.scale_radius, "scale_radius");
    refuse_key(c.truncation_radius.has_value(), "truncation_radius");
    refuse_key(c.truncation_width.has_value(), "truncation_width");
    refuse_key(c.anisotropy_radius.has_value(), "anisotropy_radius");
    refuse_key(c.potential.has_value(), "potential");
    refuse_key(c.velocities != none.velocities, "velocities");
}

/// A point with Plummer's softening attracts as Plummer's (1911) sphere does.
class BlackHole final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override
    {
        expect_positive(where, "mass", c.mass);
        const auto& softening = c.own.get<BlackHoleConfig>().softening;
        if (!softening)
            refuse(where,
                   "has no black_hole.softening, expected the length by which the run softens its force");
        expect_positive(where, "black_hole.softening", *softening);
        check_no_extent(where, c);
    }
    std::uint64_t particles(const Component&) const override { return 1; }
    double carried_mass(const Component& c) const override { return c.mass; }
    bool has_profile() const override { return false; }
    bool takes_profile_key(const std::string& path) const override { return path == "mass"; }

    bool joins_total_potential() const override { return true; }
    bool is_round() const override { return true; }
    std::unique_ptr<Density> monopole(const Component& c) const override
    {
        return plummer_density(c.mass, *c.own.get<BlackHoleConfig>().softening);
    }
    std::vector<double> monopole_radii(const Component& c) const override
    {
        const double eps = *c.own.get<BlackHoleConfig>().softening;
        constexpr double ratio = 1 + 1.0 / 64;  // as those of spheres
        std::vector<double> radii{1e-5 * eps};
        while (radii.back() < 1e8 * eps) radii.push_back(radii.back() * ratio);
        return radii;
    }

    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        p.mass[slot.first] = config.components[number].mass;
        p.position.store(slot.first, slot.centre.position);
        p.velocity.store(slot.first, slot.centre.velocity);
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_black_hole_model() { return std::make_unique<BlackHole>(); }

std::vector<Setting<Component>> black_hole_settings()
{
    return model_settings<BlackHoleConfig>(
        "black_hole",
        {setting("softening", Quantity::length, &BlackHoleConfig::softening,
                 "Plummer length of its field in the distribution functions of others; default: "
                 "gravity's, for its type",
                 positive())});
}

}  // namespace aureole::ics
