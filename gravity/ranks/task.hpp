// What rank 0 says to the ranks that lend it forces: a header, lists and settings in one message, then arrays
// of particles by broadcasts of their own. For the files of this folder, and for other tasks of ranks.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>

#include "gravity/ranks/arrays.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/comm/device_moves.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity::ranks {

enum class Task : std::uint32_t { begin, prepare, evaluate, restore, other, domains, end };

/// A range, or a list by its address on rank 0, which tells whether two lists are the same.
struct SelectionMessage {
    std::uint64_t list = 0;
    IndexRange range{};
};

/// Where the previous accelerations of a request come from.
enum class Previous : std::uint32_t { absent, kept, sent };

/// Arrays of particles that are sent only where they differ from those sent before: mass, id, type and
/// component.
inline constexpr std::size_t n_slow = 4;
template <class T>
using SlowArrays = std::array<T, n_slow>;
inline constexpr std::size_t component_array = 3;

struct Header {
    Task task = Task::end;
    Index n = 0;
    double time = 0;
    Box box{};
    std::uint64_t set = 0;  ///< address of the components on rank 0: a solver may know a particle set by it
    SelectionMessage sources{}, targets{};
    Previous previous = Previous::absent;
    std::uint32_t potential = 0;
    std::uint32_t present = 0, changed = 0;  ///< a bit for each slow array
};

/// Bytes of an element of a slow array.
inline constexpr SlowArrays<std::size_t> slow_size{sizeof(double), sizeof(std::uint64_t),
                                                   sizeof(ParticleType), sizeof(Component)};

inline SlowArrays<const void*> slow_arrays(const ConstParticlesView& p)
{
    return {p.mass, p.id, p.type, p.component};
}

// Operations that both sides call stand here: a checked build compares the places of calls.

inline void broadcast_message(comm::Communicator& ranks, std::vector<std::byte>& message)
{
    ranks.broadcast_any(message, 0);
}

/// The array of rank 0, which is read there and written elsewhere.
inline void broadcast(comm::DeviceMoves& moves, Exec exec, const void* array, std::size_t bytes)
{
    moves.broadcast(exec.stream, const_cast<void*>(array), bytes, 0);
}

inline void broadcast(comm::DeviceMoves& moves, Exec exec, const ConstVec3View& v, std::size_t n)
{
    for (const double* axis : {v.x, v.y, v.z}) broadcast(moves, exec, axis, n * sizeof(double));
}

/// An exchange in which the others take part: one that fails here cannot be ended in order.
template <class Exchange>
void exchange(comm::Communicator& ranks, Exchange work)
{
    try {
        work();
    } catch (const std::bad_alloc&) {
        ranks.abort("there is no memory left for the particles of a run on ranks");
    } catch (const std::exception& error) {
        ranks.abort(error.what());
    }
}

/// Work of all ranks whose errors are agreed.
template <class Work>
void together(comm::Communicator& ranks, Work work)
{
    comm::agreed(ranks, std::move(work), "there is no memory left for forces");
}

/// Adds up the time of work, on a GPU until it is done.
class WorkClock {
public:
    template <class Work>
    void time(Exec exec, Work work)
    {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        work();
        if (exec.backend == Backend::cuda) device::wait(exec.stream);
        seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    }
    double seconds() const noexcept { return seconds_; }

private:
    double seconds_ = 0;
};

/// Accelerations and potentials one after another, of `n` particles.
inline ForceOutputs outputs_in(double* sums, std::size_t n, bool potential)
{
    return {{sums, sums + n, sums + 2 * n}, potential ? sums + 3 * n : nullptr};
}
inline std::size_t sums_for(std::size_t n, bool potential) { return (potential ? 4 : 3) * n; }

/// Every entry is zero on all ranks but the one that has evaluated it, so that a sum of bit patterns is exact
/// in any order. It comes to rank 0.
inline void gather(comm::DeviceMoves& moves, Exec exec, double* sums, std::size_t n)
{
    static_assert(sizeof(double) == sizeof(std::uint64_t));
    moves.sum_to_first(exec.stream, reinterpret_cast<std::uint64_t*>(sums), n);
}

}  // namespace aureole::gravity::ranks
