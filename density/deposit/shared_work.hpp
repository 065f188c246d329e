// A list of tasks that a device and threads of the host do together.
#pragma once

#include "density/deposit/element_tasks.hpp"
#include "density/deposit/shared_tasks.hpp"

namespace aureole::density {

/// What takes tasks in chunks and works on one while the next is prepared. All is called by one thread, the
/// one that has chosen the device; gather() by several, each with blocks of its own.
class ChunkFeeder {
public:
    virtual ~ChunkFeeder() = default;

    /// Returns when there is room for a chunk.
    virtual void wait() = 0;
    /// Takes tasks from range.begin on; returns the first that there is no room for.
    virtual std::size_t fill(TaskRange range) = 0;
    virtual std::size_t n_blocks() const = 0;
    virtual void gather(std::size_t block) = 0;
    /// The chunk is prepared.
    virtual void submit() = 0;
};

/// Does all tasks: those that the feeder does not take go onto work.host_patches, by as many threads as
/// OpenMP has. Returns the signed volumes of their tetrahedra, in boxes. Which are whose depends on the
/// moment.
double share_tasks(ChunkFeeder& feeder, const ParticlesView& particles, const Lattice& lattice,
                   const ElementWork& work);

}  // namespace aureole::density
