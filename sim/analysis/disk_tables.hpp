// The tables of one state of a disk: profile, map, ellipses, angular momenta. For snapshots and runs alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/analysis/bar.hpp"
#include "sim/analysis/sky_map.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

struct DiskSettings {
    double scale_radius = 0;  ///< 0: from the half-mass radius
    std::size_t ring = 0;     ///< particles in a ring; 0: chosen
    SkyView view{};           ///< of map and ellipses
    double map_width = 0;     ///< 0: ten scale radii
    int pixels = 64;
};

/// What a table is to be cited with; "" for those without a paper.
std::string_view disk_table_citation(std::string_view name);

/// A disk in its frame and its rings, from which the tables are made.
class DiskMeasurement {
public:
    /// `particles`: those of the disk; `host`: all particles, in host memory, borrowed. Throws as
    /// disk_frame() does. Cost: O(N log N).
    DiskMeasurement(const ConstParticlesView& host, const DiskParticles& particles,
                    const DiskSettings& settings);

    const DiskFrame& frame() const { return frame_; }
    std::size_t size() const { return disk_.size(); }

    Bar bar() const { return measure_bar(disk_, rings_, harmonics_); }

    /// One of disk_table_names (sim/config): disk_profile(), sky_map(), ellipse_table() of 24 rings between
    /// 0.1 and 5 scale radii, angular_momentum_table(). In the numbers of the particles, of which
    /// `gravitational_constant` is G. Throws ArgumentError for another name.
    Table table(std::string_view name, double gravitational_constant) const;

private:
    ConstParticlesView host_;
    DiskSettings settings_;
    DiskFrame frame_;
    DiskParticles disk_;
    std::vector<DiskRing> rings_;
    std::vector<RingHarmonics> harmonics_;
};

}  // namespace aureole::run
