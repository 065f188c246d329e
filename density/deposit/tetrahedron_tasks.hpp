// The list of pairs of a block of the lattice and a patch of cells, and the calls that deposit them. A
// uniform grid is one patch that takes every block; a leaf of an octree takes the blocks whose bounding boxes
// reach into it.
#pragma once

#include <functional>
#include <span>

#include "density/deposit/deposit_tetrahedron.hpp"
#include "density/sheet/block_corners.hpp"
#include "density/sheet/sheet_volume.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

/// The sums of a grid and, unless null, its stream counts, in the memory of the backend that deposits.
struct Patch {
    GridSums sums;
    Index* streams = nullptr;
    bool adds_volume = true;  ///< whether the volumes of its tasks count in what deposit_tasks_cuda() returns
};

/// The tetrahedra of one block of the lattice onto one patch.
struct TetrahedronTask {
    Index patch, block;
};

struct TetrahedronWork {
    std::span<const Patch> patches;
    std::span<const TetrahedronTask> tasks;  ///< each pair once
    bool moments = false;    ///< five sums a cell instead of one: mass, momentum, mass times squared speed
    double speed_scale = 1;  ///< multiplies velocities
    Precision precision = Precision::double_precision;  ///< on a GPU
    Progress progress{};                ///< reports the fraction done and may stop the work between chunks
    std::function<void()> meanwhile{};  ///< host work that runs while a GPU completes its last chunks
    std::span<const Patch> host_patches{};  ///< copies of `patches` in host memory when CPU threads share the
                                            ///< tasks with a GPU; empty when the GPU takes all tasks
};

/// Adds the tetrahedra of all tasks to their patches, which lie in the memory of exec's backend; corners lie
/// in host memory. Bits do not depend on the order of the tasks.
void deposit_tasks(Exec exec, const BlockCorners& corners, const TetrahedronWork& work);

void deposit_tasks_cpu(const BlockCorners& corners, const TetrahedronWork& work);
/// Returns the sum of the signed volumes of all tetrahedra of the tasks in units of the box, but for those of
/// patches that add none: for one task a block, 1 when the sheet is closed. Its bits do not depend on the
/// order of the tasks, either.
VolumeSum deposit_tasks_cuda(const BlockCorners& corners, const TetrahedronWork& work);

/// Bytes of the chunks and of the list of patches on the host, and the same on the device, of
/// deposit_tasks_cuda().
std::size_t tetrahedron_chunks_bytes(std::size_t n_patches, std::size_t n_tasks, bool moments);

}  // namespace aureole::density
