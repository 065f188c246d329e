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
                                 const DiskSettings& settings, std::function<ConstParticlesView()> host)
    : exec_(exec),
      members_(members),
      settings_(settings),
      host_(std::move(host)),
      bodies_(disk_bodies(exec, particles, members)),
      frame_(disk_frame(exec, bodies_.view(), settings.scale_radius))
{
}

const DiskMeasurement::OnHost& DiskMeasurement::on_host()
{
    if (!on_host_) {
        OnHost made;
        made.disk = disk_in_frame(disk_particles(host_(), members_), frame_);
        made.rings = disk_rings(made.disk, settings_.ring);
        made.harmonics = ring_harmonics(made.disk, made.rings);
        on_host_ = std::move(made);
    }
    return *on_host_;
}

const SkyParticles& DiskMeasurement::sky()
{
    if (!sky_) sky_ = on_sky(exec_, bodies_.view(), frame_, settings_.view);
    return *sky_;
}

Bar DiskMeasurement::bar()
{
    const OnHost& h = on_host();
    return measure_bar(h.disk, h.rings, h.harmonics);
}

Table DiskMeasurement::table(std::string_view name, double gravitational_constant)
{
    constexpr double map_size = 10, innermost = 0.1, outermost = 5;  // scale radii
    constexpr int n_ellipses = 24;
    const double scale = frame_.scale_radius;
    if (name == "profile") {
        const OnHost& h = on_host();
        return disk_profile(h.disk, h.rings, h.harmonics, host_(), frame_.centre, gravitational_constant);
    }
    if (name == "angular_momentum") return angular_momentum_table(angular_momenta(host_(), frame_), frame_);
    if (name == "map")
        return sky_map(exec_, sky().view(),
                       {settings_.map_width > 0 ? settings_.map_width : map_size * scale, settings_.pixels});
    AUREOLE_EXPECT(name == "ellipses",
                   "a table '{}' of a disk, expected profile, map, ellipses or angular_momentum", name);
    return ellipse_table(exec_, sky().view(), innermost * scale, outermost * scale, n_ellipses);
}

DiskBytes disk_table_bytes(Backend where, std::size_t n, int pixels)
{
    constexpr std::size_t map_columns = 10;
    constexpr std::size_t one = sizeof(std::uint64_t) + sizeof(double) + 2 * sizeof(Vec3);  // DiskParticles
    constexpr std::size_t in_frame = one + sizeof(double) + sizeof(Vec3) + sizeof(std::pair<double, Index>);
    const auto n_pixels = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels);
    const std::size_t sky = n * (5 * sizeof(double) + 2 * sizeof(Vec3)) + sky_bytes(where, n, pixels);
    return {std::max(disk_bytes(where, n), sky),
            n * (one + in_frame) + n_pixels * (map_columns * sizeof(double) + sizeof(Index))};
}

}  // namespace aureole::run
