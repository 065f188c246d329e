// One chunk of tasks on a GPU: the arguments of the kernel. A block is there once, however many patches take
// it.
#pragma once

#include "density/deposit/deposit_tetrahedron.hpp"
#include "density/sheet/lattice_blocks.hpp"
#include "sim/core/precision.hpp"

namespace aureole::density {

struct DevicePatch {
    GridSums sums;
    Index* streams;  ///< or null
    CellCoordinates cells;
};

/// `slot` is the number of the block in the chunk.
struct DeviceTask {
    Index patch, slot;
    Index cubes[3];
};

/// All pointers to device memory.
struct DeviceChunk {
    const DevicePatch* patches;
    const DeviceTask* tasks;
    Index n_tasks;
    const Vec3* position;  ///< [slots][corners_per_block]
    const Vec3* velocity;  ///< of the same shape, or null: then only shares are summed
    double speed_scale;
    bool streams;
    bool by_planes;  ///< whether a patch stores some of its planes alone
    Precision precision;
    double* volume;  ///< [n_tasks]: sum of the signed volumes of a task in units of the box
};

/// Adds the chunk's tetrahedra to the patches, in stream order.
void deposit_chunk(CUstream_st* stream, const DeviceChunk& chunk);

/// Largest number of cells along an axis that fits the integers of the kernel.
inline constexpr std::int64_t most_device_cells = std::int64_t{1} << 28;

}  // namespace aureole::density
