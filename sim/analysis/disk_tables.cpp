#include "sim/analysis/disk_tables.hpp"

#include "sim/analysis/angular_momentum.hpp"
#include "sim/analysis/disk_profile.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {

std::string_view disk_table_citation(std::string_view name)
{
    if (name == "map") return line_of_sight_citation;
    if (name == "ellipses") return ellipse_citation;
    return "";
}

DiskMeasurement::DiskMeasurement(const ConstParticlesView& host, const DiskParticles& particles,
                                 const DiskSettings& settings)
    : host_(host),
      settings_(settings),
      frame_(disk_frame(particles, settings.scale_radius)),
      disk_(disk_in_frame(particles, frame_)),
      rings_(disk_rings(disk_, settings.ring)),
      harmonics_(ring_harmonics(disk_, rings_))
{
}

Table DiskMeasurement::table(std::string_view name, double gravitational_constant) const
{
    constexpr double map_size = 10, innermost = 0.1, outermost = 5;  // scale radii
    constexpr int n_ellipses = 24;
    const double scale = frame_.scale_radius;
    if (name == "profile")
        return disk_profile(disk_, rings_, harmonics_, host_, frame_.centre, gravitational_constant);
    if (name == "angular_momentum") return angular_momentum_table(angular_momenta(host_, frame_), frame_);
    if (name == "map")
        return sky_map(on_sky(disk_, settings_.view),
                       {settings_.map_width > 0 ? settings_.map_width : map_size * scale, settings_.pixels});
    AUREOLE_EXPECT(name == "ellipses",
                   "a table '{}' of a disk, expected profile, map, ellipses or angular_momentum", name);
    return ellipse_table(on_sky(disk_, settings_.view), innermost * scale, outermost * scale, n_ellipses);
}

}  // namespace aureole::run
