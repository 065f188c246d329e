// One chunk of tasks on a GPU: what the kernel reads. Blocks are held once each, however many patches take
// them.
#pragma once

#include "density/deposit/deposit_element.hpp"
#include "density/deposit/precision.hpp"
#include "density/sheet/lattice_blocks.hpp"

namespace aureole::density {

struct DevicePatch {
    GridSums sums;
    Index* streams;  ///< or none
    CellCoordinates cells;
};

/// `slot` is where the chunk has the block.
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
    const Vec3* velocity;  ///< the same, or none: then only shares are summed
    double speed_scale;
    bool streams;
    Precision precision;
    double* volume;  ///< [n_tasks]: signed volumes of the tasks' tetrahedra, in boxes
};

/// Adds the chunk's tetrahedra to the patches, in stream order.
void deposit_chunk(CUstream_st* stream, const DeviceChunk& chunk);

/// Cells of a grid along an axis that the kernel can count.
inline constexpr std::int64_t most_device_cells = std::int64_t{1} << 28;

}  // namespace aureole::density
