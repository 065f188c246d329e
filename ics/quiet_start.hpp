// Quiet starts (Sellwood 1983; Debattista & Sellwood 2000): each orbit several times at equal azimuths, and
// as often mirrored, with places that are spread evenly instead of at random.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::ics {

inline constexpr int most_copies = 64;

/// The setting `quiet`, in Component::own.
struct QuietConfig {
    int copies = 0;  ///< n of each orbit at equal azimuths, and n mirrored ones; 0: independent draws
};

/// Which orbit a particle of a component is on, and which of its images it is.
class QuietStart {
public:
    /// Of `particles` in all; the last orbit may lack some of its images.
    QuietStart(const QuietConfig& config, std::uint64_t particles)
        : copies_(static_cast<std::uint64_t>(config.copies)), particles_(particles)
    {
    }

    bool given() const { return copies_ > 0; }
    std::uint64_t orbits() const { return (particles_ + 2 * copies_ - 1) / (2 * copies_); }
    std::uint64_t orbit(std::uint64_t particle) const { return particle / (2 * copies_); }
    std::uint64_t left_over() const { return particles_ % (2 * copies_); }

    /// Three coordinates in (0, 1) of an orbit: of all orbits they fill the cube evenly (Hammersley's set, in
    /// the first jittered within its stratum, in the others shifted by `seed`).
    std::array<double, 3> place(std::uint64_t orbit, std::uint64_t seed, std::uint64_t id) const;

    /// The image of a point of the orbit that `particle` is: turned about z by a multiple of 1 / n turns; the
    /// mirrored ones have -z, -v_z and -v_R besides, so that the momentum of all 2 n is zero.
    PhaseSpacePoint image(std::uint64_t particle, const PhaseSpacePoint& point) const;

private:
    std::uint64_t copies_, particles_;
};

struct Component;

/// Throws ConfigError for numbers of copies that are none.
void check_quiet(const std::string& where, const Component& component);

/// For a component's report; "" where `config` asks for no quiet start.
std::string quiet_note(const QuietConfig& config, std::uint64_t particles);

}  // namespace aureole::ics
