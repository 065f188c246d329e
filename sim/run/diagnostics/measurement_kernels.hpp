// What a measurement on a GPU hands to its kernels, and what they return.
#pragma once

#include <cstddef>
#include <span>

#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/run/diagnostics/component_shape.hpp"
#include "sim/run/diagnostics/energy_sums.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"

namespace aureole::run::detail {

/// Radii of fractions of the mass of some particles, about a centre in device memory.
struct RadiusQuery {
    IndexRange range;
    const Vec3* centre;
    Index n_fractions;
    double fraction[most_fractions];
};

/// Particles whose mass counts if they are bound to a sphere in device memory.
struct BoundQuery {
    IndexRange range;
    const DeviceSphere* sphere;
};

/// Particles whose shape is to be found about a centre, from the sphere of a radius; both in device memory.
struct ShapeQuery {
    IndexRange range;
    const Vec3* centre;
    const double* radius;
};

/// All pointers are in device memory; nothing is waited for. Sums are equal bit for bit on any GPU.
void sum_energies(CUstream_st* stream, const ConstParticlesView& particles, std::byte* scratch,
                  EnergySums* sums, Vec3* centre_of_mass);
std::size_t sum_energies_bytes(std::size_t n);

/// `radii`: most_fractions for each query.
void find_radii(CUstream_st* stream, const ConstParticlesView& particles,
                std::span<const RadiusQuery> queries, std::byte* scratch, double* radii);
std::size_t find_radii_bytes(std::size_t n_in_all_ranges, std::size_t n_queries);

/// Masses of the particles with v^2 / 2 + phi < 0, v relative to that of the sphere.
void sum_bound_mass(CUstream_st* stream, const ConstParticlesView& particles, const double* potential,
                    std::span<const BoundQuery> queries, std::byte* scratch, double* mass);
std::size_t sum_bound_mass_bytes(std::size_t n_in_all_ranges, std::size_t n_queries);

/// measure_shape() of each query, to rounding (component_shape_cuda.cu).
void find_shapes(CUstream_st* stream, const ConstParticlesView& particles,
                 std::span<const ShapeQuery> queries, std::byte* scratch, ComponentShape* shapes);
std::size_t find_shapes_bytes(std::size_t n_in_all_ranges, std::size_t n_queries);

}  // namespace aureole::run::detail
