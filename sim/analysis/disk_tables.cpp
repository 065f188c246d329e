#include "sim/analysis/disk_tables.hpp"

#include <algorithm>

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

DiskMeasurement::DiskMeasurement(Exec exec, const ConstParticlesView& particles, const DiskMembers& members,
                                 const DiskSettings& settings)
    : exec_(exec),
      particles_(particles),
      settings_(settings),
      bodies_(disk_bodies(exec, particles, members)),
      frame_(disk_frame(exec, bodies_.view(), settings.scale_radius))
{
}

const DiskMeasurement::InRings& DiskMeasurement::in_rings()
{
    if (!in_rings_) {
        InRings made;
        made.disk = disk_in_frame(exec_, bodies_.view(), frame_);
        made.rings = disk_rings(exec_, made.disk.view(), settings_.ring);
        made.moments = ring_moments(exec_, made.disk.view(), made.rings);
        in_rings_ = std::move(made);
    }
    return *in_rings_;
}

const SkyParticles& DiskMeasurement::sky()
{
    if (!sky_) sky_ = on_sky(exec_, bodies_.view(), frame_, settings_.view);
    return *sky_;
}

Bar DiskMeasurement::bar(const BarCriteria& criteria)
{
    const InRings& in = in_rings();
    return measure_bar(exec_, in.disk.view(), in.rings, in.moments, criteria);
}

Table DiskMeasurement::table(std::string_view name, double gravitational_constant)
{
    constexpr double map_size = 10, innermost = 0.1, outermost = 5;  // scale radii
    constexpr int n_ellipses = 24;
    const double scale = frame_.scale_radius;
    if (name == "profile") {
        const InRings& in = in_rings();
        return disk_profile(exec_, in.disk.view(), in.rings, in.moments, particles_, frame_.centre,
                            gravitational_constant);
    }
    if (name == "angular_momentum")
        return angular_momentum_table(angular_momenta(exec_, particles_, frame_), frame_);
    if (name == "map")
        return sky_map(exec_, sky().view(),
                       {settings_.map_width > 0 ? settings_.map_width : map_size * scale, settings_.pixels});
    AUREOLE_EXPECT(name == "ellipses",
                   "a table '{}' of a disk, expected profile, map, ellipses or angular_momentum", name);
    return ellipse_table(exec_, sky().view(), innermost * scale, outermost * scale, n_ellipses);
}

std::size_t disk_bar_bytes(Backend where, std::size_t n)
{
    const std::size_t bodies = n * (sizeof(double) + 2 * sizeof(Vec3));
    return std::max(disk_bytes(where, n),
                    bodies + std::max(disk_in_frame_bytes(where, n),
                                      disk_in_frame_kept(n) + disk_moment_bytes(where, n, ring_count(n, 0))));
}

DiskBytes disk_table_bytes(Backend where, std::size_t n, std::size_t n_particles,
                           const DiskSettings& settings)
{
    constexpr std::size_t map_columns = 10;
    const auto side = static_cast<std::size_t>(settings.pixels), n_pixels = side * side;
    const std::size_t bodies = n * (sizeof(double) + 2 * sizeof(Vec3)), kept = bodies + disk_in_frame_kept(n);
    const std::size_t profile = disk_profile_bytes(where, n, ring_count(n, settings.ring), n_particles);
    const std::size_t sky = n * 4 * sizeof(double) + std::max(profile, sky_bytes(where, n, settings.pixels));
    return {std::max({disk_bytes(where, n), bodies + disk_in_frame_bytes(where, n), kept + sky}),
            n_pixels * (map_columns * sizeof(double) + sizeof(Index))};
}

}  // namespace aureole::run
