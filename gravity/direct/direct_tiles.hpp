// What the orchestration of the CPU direct sum (direct_cpu.cpp) hands to the kernels that are compiled once
// per instruction set. Plain data only: those files must not instantiate code that other files share.
#pragma once

#include "gravity/force_request.hpp"
#include "sim/core/simd/cpu_path.hpp"

namespace aureole::gravity {

inline constexpr int tile_targets = 64;   ///< targets that share an origin: 4 AVX-512 vectors of float
inline constexpr int chunk_sources = 32;  ///< sources that are near or far together

struct Bounds {
    double low[3], high[3];
};

/// Sources along a space-filling curve, in lengths and masses scaled by powers of two.
struct SourceTiles {
    Index n;
    double *x, *y, *z, *mass;
    double* soft;    ///< eps^2 for Plummer, 1 / h for the spline (infinite without softening)
    Index* index;    ///< of the particle
    Bounds* bounds;  ///< of each chunk
};

struct DirectTiles {
    ConstParticlesView particles;
    SourceTiles sources;
    ForceOutputs outputs;
    const Index* targets;  ///< particle indices along the curve
    Index n_targets;
    Vec3 low;       ///< corner of the cube that the curve fills, not scaled
    double extent;  ///< its side
    double type_soft[n_particle_types];
    bool spline;
    bool far_by_type;                   ///< far pairs have several softening lengths
    double far_eps2;                    ///< otherwise, of all of them
    double common_mass;                 ///< of every source, scaled; zero when they differ
    bool near_in_double;                ///< near pairs could leave the range of float
    double length_scale;                ///< scaled coordinate = length_scale * coordinate
    double force_unit, potential_unit;  ///< from sums of scaled terms to what is stored
    double far_gap;                     ///< least distance of far sources from the targets' box; infinite for
                                        ///< Precision::double_precision
};

/// Evaluates targets [tile * tile_targets, ...) and stores acceleration (and potential).
using TileEvaluation = void (*)(const DirectTiles& tiles, Index tile);

TileEvaluation tile_evaluation_baseline();
TileEvaluation tile_evaluation_avx2();
TileEvaluation tile_evaluation_avx512();

}  // namespace aureole::gravity
