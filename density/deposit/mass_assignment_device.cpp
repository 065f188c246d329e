// Feeds a GPU with particles for mass assignment: host threads copy a chunk into pinned memory while the GPU
// works on the chunk before. The memory is that of two chunks, whatever the number of particles.
#include <algorithm>

#include "density/deposit/mass_assignment.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {
namespace {

constexpr Index particles_per_chunk = Index{1} << 18;

std::size_t arrays_of(bool moments) { return moments ? 7 : 4; }

std::size_t most_in_chunk(std::size_t n) { return std::min<std::size_t>(particles_per_chunk, n); }

/// Masses, positions and, for moments, velocities of one chunk of particles, and its stream.
class AssignmentSlot {
public:
    AssignmentSlot(std::size_t most, bool moments) : moments_(moments), numbers_(most * arrays_of(moments)) {}

    AssignmentSlot(const AssignmentSlot&) = delete;
    AssignmentSlot& operator=(const AssignmentSlot&) = delete;
    /// A stop or an error may leave a kernel that still reads the slot.
    ~AssignmentSlot()
    {
        try {
            wait();
        } catch (...) {  // the error that ended the work is already on its way
        }
    }

    /// Returns when the chunk that was in the slot is done.
    void wait() const { device::wait(stream_.get()); }

    void gather(const ConstParticlesView& p, IndexRange range)
    {
        const double* const from[] = {p.mass,       p.position.x, p.position.y, p.position.z,
                                      p.velocity.x, p.velocity.y, p.velocity.z};
        const auto arrays = static_cast<Index>(arrays_of(moments_));
        constexpr Index piece = Index{1} << 13;
        n_ = range.size();
#pragma omp parallel for collapse(2)
        for (Index a = 0; a < arrays; ++a)
            for (Index begin = 0; begin < range.size(); begin += piece)
                std::copy_n(from[a] + range.begin + begin, std::min(piece, range.size() - begin),
                            numbers_.host() + std::size_t{a} * range.size() + begin);
    }

    void submit(const AssignmentWork& work)
    {
        numbers_.send(stream_.get(), n_ * arrays_of(moments_));
        const auto array = [this](std::size_t a) { return numbers_.device() + a * n_; };
        ConstParticlesView chunk{};
        chunk.n = n_;
        chunk.where = Backend::cuda;
        chunk.mass = array(0);
        chunk.position = {array(1), array(2), array(3)};
        if (moments_) chunk.velocity = {array(4), array(5), array(6)};
        assign_mass({Backend::cuda, stream_.get()}, chunk, work);
    }

private:
    bool moments_;
    Index n_ = 0;
    device::Stream stream_;
    device::StagedBuffer<double> numbers_;
};

}  // namespace

void assign_mass_cuda(const ConstParticlesView& particles, const AssignmentWork& work,
                      const Progress& progress)
{
    const std::size_t most = most_in_chunk(particles.n);
    AssignmentSlot slots[2] = {{most, work.moments}, {most, work.moments}};
    int turn = 0;
    for (Index begin = 0; begin < particles.n; turn = 1 - turn) {
        const Index end = begin + std::min(particles_per_chunk, particles.n - begin);
        slots[turn].wait();
        slots[turn].gather(particles, {begin, end});
        slots[turn].submit(work);
        progress.at(static_cast<double>(end) / particles.n, "particles");
        begin = end;
    }
    for (const AssignmentSlot& slot : slots) slot.wait();
}

std::size_t assignment_chunks_bytes(std::size_t n_particles, bool moments)
{
    return 2 * most_in_chunk(n_particles) * arrays_of(moments) * sizeof(double);
}

}  // namespace aureole::density
