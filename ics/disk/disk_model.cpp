// The model `disk`: what it takes, what it refuses, and its particles.
#include <cmath>

#include "ics/check_config.hpp"
#include "ics/disk/disk_equilibrium.hpp"
#include "ics/disk/disk_tilt.hpp"
#include "ics/model.hpp"
#include "ics/quiet_start.hpp"
#include "ics/sphere.hpp"
#include "sim/core/particle_limits.hpp"

namespace aureole::ics {
namespace {

using C = Component;

const DiskConfig& disk_of(const C& component) { return component.own.get<DiskConfig>(); }
const DiskTilt& tilt_of(const C& component) { return component.own.get<DiskTilt>(); }

void check_heat(const std::string& where, const DiskConfig& disk)
{
    if (disk.q.has_value() == disk.sigma_0.has_value())
        refuse(where, "expected exactly one of disk.q and disk.sigma_0: how hot the disk is");
    if (disk.q) expect_positive(where, "disk.q", *disk.q);
    if (disk.sigma_0) expect_positive(where, "disk.sigma_0", *disk.sigma_0);
    if (!disk.q_radius) return;
    if (!disk.q) refuse(where, "disk.q_radius is set, expected disk.q beside it");
    constexpr double floor_begins = 9.2;  // beyond, the dispersion is a hundredth of the centre's
    const double first = first_orbit * disk.scale_length, last = floor_begins * disk.scale_length;
    if (!(*disk.q_radius >= first && *disk.q_radius <= last))
        refuse(where, fmt::format("disk.q_radius is {}, expected {} to {}, between which the dispersion "
                                  "falls as exp(-R / 2 R_d)",
                                  *disk.q_radius, first, last));
}

/// Keys of spheres, which a disk does not know.
void check_no_sphere(const std::string& where, const C& c)
{
    const auto refuse_key = [&](bool given, const char* key, const char* instead) {
        if (given) refuse(where, fmt::format("{} is set, but {}; remove it", key, instead));
    };
    refuse_key(c.scale_radius != C{}.scale_radius, "scale_radius", "a disk has disk.scale_length");
    refuse_key(c.truncation_radius.has_value(), "truncation_radius", "a disk falls to nothing by itself");
    refuse_key(c.truncation_width.has_value(), "truncation_width", "a disk falls to nothing by itself");
    refuse_key(c.anisotropy_radius.has_value(), "anisotropy_radius",
               "disk.q or disk.sigma_0 say how hot it is");
    refuse_key(c.potential == Potential::own, "potential: own",
               "a disk moves in the field of all that shares its centre");
    refuse_key(c.velocities == Velocities::cold, "velocities: cold", "a disk rotates");
}

/// Disks about one centre lie in one plane.
void expect_one_plane(const Config& config, std::size_t number)
{
    const C& component = config.components[number];
    const DiskTilt& tilt = tilt_of(component);
    for (std::size_t k : companions(config, number)) {
        const DiskTilt& other = tilt_of(config.components[k]);
        if (config.components[k].model == component.model && other != tilt)
            refuse(place_of(config, number),
                   fmt::format(
                       "disk.inclination is {} and disk.argument_of_pericentre {}, those of component {} "
                       "about the same centre are {} and {}: expected one plane",
                       tilt.inclination, tilt.argument_of_pericentre, k, other.inclination,
                       other.argument_of_pericentre));
    }
}

class Disk final : public ComponentModel {
public:
    void check(const std::string& where, const C& c) const override
    {
        const DiskConfig& disk = disk_of(c);
        if (c.particles == 0) refuse(where, "particles is 0, expected at least 1");
        expect_positive(where, "mass", c.mass);
        expect_positive(where, "disk.scale_length", disk.scale_length);
        expect_positive(where, "disk.scale_height", disk.scale_height);
        if (!disk.profile)
            refuse(
                where,
                "has no disk.profile, expected sech2 or exponential: what disk.scale_height is the scale of");
        if (disk.scale_height > disk.scale_length)
            refuse(where,
                   fmt::format("disk.scale_height is {}, expected at most disk.scale_length, {}: it is "
                               "no disk",
                               disk.scale_height, disk.scale_length));
        constexpr double thinnest = 1e-3;
        if (disk.scale_height < thinnest * disk.scale_length)
            refuse(where,
                   fmt::format("disk.scale_height is {}, expected at least {} of disk.scale_length, {}",
                               disk.scale_height, thinnest, disk.scale_length));
        check_heat(where, disk);
        expect_finite_value(where, "disk.inclination", tilt_of(c).inclination);
        expect_finite_value(where, "disk.argument_of_pericentre", tilt_of(c).argument_of_pericentre);
        check_no_sphere(where, c);
        expect_positive(where, "disk.adapt_periods", disk.adapt_periods);
        check_quiet(where, c);
    }
    double carried_mass(const C& c) const override { return c.mass; }
    bool takes_profile_key(const std::string& path) const override
    {
        return path == "particles" || path == "mass" || path == "quiet";
    }
    std::unique_ptr<Density> monopole(const C& c) const override { return disk_monopole(disk_profile(c)); }
    std::vector<double> monopole_radii(const C& c) const override
    {
        return disk_monopole_radii(disk_profile(c));
    }
    bool joins_total_potential() const override { return true; }
    Report report(const Config& config, std::size_t number) const override
    {
        return report_of(DiskEquilibrium(config, number), config, number);
    }

    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        expect_one_plane(config, number);
        fill_from(DiskEquilibrium(config, number), p, slot, config, number);
    }

    Report fill_and_report(const ParticlesView& p, const Slot& slot, const Config& config,
                           std::size_t number) const override
    {
        expect_one_plane(config, number);
        const DiskEquilibrium disk(config, number);
        fill_from(disk, p, slot, config, number);
        return report_of(disk, config, number);
    }

private:
    static Report report_of(const DiskEquilibrium& disk, const Config& config, std::size_t number)
    {
        const C& c = config.components[number];
        Report report = disk.report();
        if (const auto ratio = disk.flatness(); ratio && !disk_of(c).adapt)
            report.notes.push_back(fmt::format(
                "spheres about it are in equilibrium with its mean over spheres and will settle: at 2 scale "
                "lengths the equipotentials, to which isotropic ones flatten, have an axis ratio of {:.3f}; "
                "with disk.adapt: true they settle beforehand",
                *ratio));
        if (const std::string quiet = quiet_note(c.own.get<QuietConfig>(), c.particles); !quiet.empty())
            report.notes.push_back(quiet);
        return report;
    }

    static void fill_from(const DiskEquilibrium& disk, const ParticlesView& p, const Slot& slot,
                          const Config& config, std::size_t number)
    {
        const Turn turned(tilt_of(config.components[number]));
        const double mass = config.components[number].mass / slot.n;
        const QuietStart quiet(config.components[number].own.get<QuietConfig>(), slot.n);
#pragma omp parallel for if (slot.n > parallel_threshold)
        for (Index k = 0; k < slot.n; ++k) {
            const Index i = slot.first + k;
            const PhaseSpacePoint point =
                quiet.given() ? quiet.image(k, disk.sample_quiet(quiet, quiet.orbit(k), config.seed,
                                                                 p.id[slot.first] + quiet.orbit(k)))
                              : disk.sample(config.seed, p.id[i]);
            p.mass[i] = mass;
            p.position.store(i, slot.centre.position + turned(point.position));
            p.velocity.store(i, slot.centre.velocity + turned(point.velocity));
        }
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_disk_model() { return std::make_unique<Disk>(); }

std::vector<Setting<Component>> disk_settings()
{
    using D = DiskConfig;
    constexpr auto length = Quantity::length;
    std::vector<Setting<Component>> result = model_settings<D>(
        "disk",
        {setting("scale_length", length, &D::scale_length, "R_d of the surface density exp(-R / R_d)",
                 positive()),
         setting("scale_height", length, &D::scale_height, "z_d of the vertical profile", positive()),
         choice("profile", &D::profile,
                {{"sech2", VerticalShape::sech2}, {"exponential", VerticalShape::exponential}},
                "needed: sech^2(z / z_d) or exp(-|z| / z_d)"),
         setting("q", Quantity::number, &D::q,
                 "Toomre's sigma_R kappa / (3.36 G Sigma) at q_radius; sigma_R falls as exp(-R / 2 R_d); or "
                 "sigma_0",
                 positive()),
         setting("q_radius", length, &D::q_radius, "default 2.5 scale lengths", positive()),
         setting("sigma_0", Quantity::velocity, &D::sigma_0, "radial dispersion at the centre; or q",
                 positive()),
         choice(
             "method", &D::method,
             {{"df", DiskMethod::distribution_function}, {"moments", DiskMethod::moments}},
             "df: distribution functions (Dehnen 1999), in equilibrium; moments: Gaussians (Hernquist 1993), "
             "for comparison"),
         setting("adapt", Quantity::number, &D::adapt,
                 "let spheres about its centre settle to its flatness before the particles are there "
                 "(McMillan & Dehnen 2007); they are made round otherwise"),
         setting("adapt_periods", Quantity::number, &D::adapt_periods,
                 "in how many circular periods at 2.2 scale lengths it becomes flat meanwhile; half as many "
                 "follow",
                 positive())});
    using T = DiskTilt;
    const std::vector<Setting<Component>> tilt = model_settings<T>(
        "disk",
        {setting("inclination", Quantity::number, &T::inclination,
                 "of an orbit in the plane z = 0 as seen from the disk, degrees: 0 direct, 180 retrograde"),
         setting("argument_of_pericentre", Quantity::number, &T::argument_of_pericentre,
                 "of such an orbit with its pericentre at +x, from its node on the disk, degrees")});
    result.insert(result.end(), tilt.begin(), tilt.end());
    return result;
}

}  // namespace aureole::ics
