// Which particles belong to which component, found once per particle set.
#pragma once

#include <vector>

#include "gravity/scf/expansion.hpp"

namespace aureole::gravity::scf {

struct Membership {
    int component = 0;
    IndexRange range{};      ///< holds all of its particles
    bool contiguous = true;  ///< and no others
    double mass = 0;
    double mass_unit = 1;  ///< a power of two near the largest mass

    /// Those of its particles that are in `sources`.
    Members among(IndexRange sources) const;
};

/// The components present, in rising order of their numbers. Reads component numbers and masses in host
/// memory, copied there when they live elsewhere.
std::vector<Membership> components_of(const ConstParticlesView& particles);

/// Where the bodies of a component are densest: shrinking_sphere(), where the particles are. `scratch` grows
/// to densest_point_bytes() on a GPU and is not needed on the CPU.
Vec3 densest_point(Exec exec, const ConstParticlesView& particles, const Membership& membership,
                   Buffer<std::byte>& scratch);
std::size_t densest_point_bytes(Backend where, std::size_t n);

/// The place of its particle of least value in `potential`, indexed as the particles are; of equals, that of
/// the smallest id.
Vec3 most_bound_point(const ConstParticlesView& particles, const Membership& membership,
                      const double* potential);

}  // namespace aureole::gravity::scf
