#include "sim/io/snapshots/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::io {

Particles new_particles(std::size_t n, const SnapshotArrays& arrays)
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    if (arrays.positions && arrays.velocities && arrays.components && arrays.forces)
        return Particles(Backend::cpu, n);
    const auto filled = []<class T>(Buffer<T>& array, std::size_t size, T value) {
        array = Buffer<T>(Backend::cpu, size);
        std::ranges::fill(array.host(), value);
    };
    const auto zeros = [&](Vec3Buffer& vectors) {
        for (auto* axis : {&vectors.x, &vectors.y, &vectors.z}) filled(*axis, n, 0.0);
    };
    Particles particles;
    filled(particles.mass, n, 0.0);
    filled(particles.type, n, ParticleType{1});
    filled(particles.id, n, std::uint64_t{0});
    std::iota(particles.id.host().begin(), particles.id.host().end(), std::uint64_t{1});
    if (arrays.velocities) zeros(particles.velocity);
    if (arrays.positions) zeros(particles.position);
    if (arrays.components) filled(particles.component, n, Component{0});
    if (!arrays.forces) return particles;
    zeros(particles.acceleration);
    filled(particles.potential, n, 0.0);
    return particles;
}

std::array<std::uint64_t, n_particle_types> count_by_type(ConstParticlesView host)
{
    std::array<std::uint64_t, n_particle_types> counts{};
    for (Index i = 0; i < host.n; ++i) {
        const ParticleType type = host.type_of(i);
        AUREOLE_EXPECT(type < n_particle_types, "particle type {}, expected 0 to {}", type,
                       n_particle_types - 1);
        ++counts[type];
    }
    return counts;
}

void restore_nbody_numbers(Snapshot& snapshot)
{
    if (!snapshot.header.nbody_scales) return;
    const UnitScales& scales = *snapshot.header.nbody_scales;
    const auto divide = [](Buffer<double>& values, double scale) {
        if (scale == 1) return;
        for (double& value : values.host()) {
            if (std::isfinite(value) && !std::isfinite(value / scale))
                throw IoError(fmt::format(
                    "/Provenance says that numbers of the run were multiplied by {}, but {} divided by it "
                    "is not finite; expected the provenance of the file's own run",
                    scale, value));
            value /= scale;
        }
    };
    Particles& host = snapshot.particles;
    divide(host.mass, scales.mass);
    for (auto* axis : {&host.position.x, &host.position.y, &host.position.z}) divide(*axis, scales.length);
    for (auto* axis : {&host.velocity.x, &host.velocity.y, &host.velocity.z}) divide(*axis, scales.velocity);
    if (snapshot.softening)
        for (double& length : snapshot.softening->length) length /= scales.length;
    snapshot.header.time /= scales.time;
    snapshot.header.box_size /= scales.length;
}

void complete_scale_factor(SnapshotHeader& header, std::optional<double> scale_factor,
                           std::optional<double> redshift, const std::string& file,
                           std::vector<std::string>& notes)
{
    constexpr double tolerance = 1e-3;  // headers are rounded by hand, too
    if (redshift && *redshift <= -1)
        throw IoError(fmt::format("{}: Redshift is {}, expected more than -1", file, *redshift));
    const bool possible = scale_factor && *scale_factor > 0 && *scale_factor <= 1 + tolerance;
    if (!redshift && !possible) {
        notes.push_back(fmt::format(
            "The file has no Redshift and {}; redshift 0 was taken.",
            scale_factor ? fmt::format("Time = {} is no scale factor", *scale_factor) : "no Time"));
        redshift = 0;
        scale_factor.reset();
    }
    header.redshift = redshift ? *redshift : 1 / *scale_factor - 1;
    header.time = scale_factor ? *scale_factor : 1 / (1 + header.redshift);
    if (std::abs(header.time * (1 + header.redshift) - 1) > tolerance)
        notes.push_back(
            fmt::format("Time = {} and Redshift = {} contradict each other, expected Time = {:.6g} in a "
                        "comoving file; both "
                        "were kept.",
                        header.time, header.redshift, 1 / (1 + header.redshift)));
}

}  // namespace aureole::io
