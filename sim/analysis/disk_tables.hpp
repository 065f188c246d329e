// The tables of one state of a disk: profile, map, ellipses, angular momenta. For snapshots and runs alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/analysis/bar.hpp"
#include "sim/analysis/sky/sky_map.hpp"
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

/// A disk in its frame, from which the tables are made where the particles are.
class DiskMeasurement {
public:
    /// `particles` are on the backend of `exec`, and borrowed. Throws as disk_frame() does. Cost: a sort of
    /// the members by id, one by distance, and some 100 passes for the centre.
    DiskMeasurement(Exec exec, const ConstParticlesView& particles, const DiskMembers& members,
                    const DiskSettings& settings);

    const DiskFrame& frame() const { return frame_; }
    std::size_t size() const { return bodies_.mass.size(); }

    Bar bar(const BarCriteria& criteria = {});

    /// One of disk_table_names (sim/config): disk_profile(), sky_map(), ellipse_table() of 24 rings between
    /// 0.1 and 5 scale radii, angular_momentum_table(). In the numbers of the particles, of which
    /// `gravitational_constant` is G. Throws ArgumentError for another name, and for maps and ellipses of a
    /// disk without extent, whose scale radius is 0.
    Table table(std::string_view name, double gravitational_constant);

private:
    /// The disk sorted by radius.
    struct InRings {
        DiskBodies disk;
        std::vector<DiskRing> rings;
        std::vector<RingMoments> moments;
    };
    const InRings& in_rings();
    const SkyParticles& sky();

    Exec exec_;
    ConstParticlesView particles_;
    DiskSettings settings_;
    DiskBodies bodies_;
    DiskFrame frame_;
    std::optional<InRings> in_rings_;
    std::optional<SkyParticles> sky_;
};

/// What the tables of a disk of n among n_particles take.
struct DiskBytes {
    std::size_t backend = 0;  ///< that computes
    std::size_t host = 0;     ///< the table of a map
};
DiskBytes disk_table_bytes(Backend where, std::size_t n, std::size_t n_particles,
                           const DiskSettings& settings);

/// What DiskMeasurement::bar() alone takes on the backend.
std::size_t disk_bar_bytes(Backend where, std::size_t n);

}  // namespace aureole::run
