// Which tetrahedra go onto which patch of cells. A uniform grid is one patch and takes every block of the
// lattice; the leaves of an octree take the blocks whose boxes reach into them.
#pragma once

#include <functional>
#include <span>

#include "density/deposit/deposit_element.hpp"
#include "density/deposit/precision.hpp"
#include "density/sheet/lattice.hpp"

namespace aureole::density {

/// A grid of cells to be filled: sums and, if wanted, stream counts of its cells, on the backend that
/// deposits.
struct Patch {
    GridSums sums;
    Index* streams = nullptr;
};

/// The tetrahedra of one block of the lattice onto one patch.
struct ElementTask {
    Index patch, block;
};

struct ElementWork {
    std::span<const Patch> patches;
    std::span<const ElementTask> tasks;                 ///< each pair once
    bool moments = false;                               ///< five sums a cell instead of one
    double speed_scale = 1;                             ///< multiplies velocities
    Precision precision = Precision::double_precision;  ///< on a GPU
    std::function<void(double)> progress{};             ///< is told the fraction done, now and then
    std::function<void()> meanwhile{};      ///< the host's work while a GPU does the last of its chunks
    std::span<const Patch> host_patches{};  ///< twins of `patches` in host memory, when a GPU shares the
                                            ///< tasks with threads of the host; none: it takes them all
};

/// Adds the tetrahedra of all tasks to their patches, which are in memory of exec's backend; particles are in
/// host memory. The bits of the sums do not depend on the order of the tasks.
void deposit_tasks(Exec exec, const ParticlesView& particles, const Lattice& lattice,
                   const ElementWork& work);

void deposit_tasks_cpu(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work);
/// Returns the signed volumes of the tasks' tetrahedra, in boxes: of all blocks once, 1 when the sheet is
/// closed.
double deposit_tasks_cuda(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work);

/// Memory of the latter beyond particles and cells, bytes, of the host and of the device each: chunks on
/// their way and the list of patches.
std::size_t element_chunks_bytes(std::size_t n_patches, std::size_t n_tasks, bool moments);

}  // namespace aureole::density
