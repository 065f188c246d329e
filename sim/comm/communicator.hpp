// What ranks say to each other. One program on several processes: each has a rank, and all call the same
// operations in the same order. Sums are of integers only: a floating sum across ranks would depend on their
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace aureole::comm {

enum class Reduction { sum, min, max };

/// Where an operation was called, for messages.
using Place = std::source_location;

/// The ranks of one job. Passed as Exec is; there is no global one. Calls come from one thread, the one that
/// opened it. Memory is the host's. Every operation is collective and returns when its result is there; empty
/// spans, one rank and byte counts beyond 2^31 are taken everywhere. Before each operation all ranks compare
/// what they are about to do where checks_calls(true) was said by all, or the build says so
/// (AUREOLE_COMM_CHECK); ranks that disagree throw Error naming both places instead of waiting for ever. A
/// rank without memory for what comes to it in an operation ends the job.
class Communicator {
public:
    virtual ~Communicator() = default;

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    void barrier(Place place = Place::current());

    /// The bytes of `root` come to all ranks; all give equally many.
    void broadcast(std::span<std::byte> bytes, int root, Place place = Place::current());

    /// The same of any number of bytes, which the others do not know. They may wait long for it, and leave
    /// the processor to others meanwhile.
    void broadcast_any(std::vector<std::byte>& bytes, int root, Place place = Place::current());

    /// Entry by entry over all ranks, which give equally many. Sums are modulo 2^64.
    void all_reduce(std::span<std::uint64_t> values, Reduction how, Place place = Place::current());
    void all_reduce(std::span<std::int64_t> values, Reduction how, Place place = Place::current());

    /// The bytes of all ranks, equally many of each, in the order of ranks; all.size() is size() times
    /// theirs.
    void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                    Place place = Place::current());

    /// The same of different numbers of bytes: entry r of the result is what rank r gave.
    std::vector<std::vector<std::byte>> all_gather_v(std::span<const std::byte> mine,
                                                     Place place = Place::current());

    /// Entry r goes to rank r; entry r of the result came from rank r.
    std::vector<std::vector<std::byte>> all_to_all_v(const std::vector<std::vector<std::byte>>& out,
                                                     Place place = Place::current());

    /// The sum over the ranks before this one.
    std::uint64_t exclusive_sum(std::uint64_t value, Place place = Place::current());

    /// Throws Error on every rank when one of them has a fault: that of the lowest, "rank 3 of 8: ...". An
    /// empty text is no fault.
    void agree(const std::string& fault, Place place = Place::current());

    /// Faults that all ranks know of: what agree() has thrown, and what they find in numbers that all have
    /// and note themselves.
    std::uint64_t common_faults() const noexcept { return common_faults_; }
    void note_common_fault() noexcept { ++common_faults_; }

    /// Prints "aureole: rank 3 of 8: ..." to the standard error and ends every process of the job with status
    /// 1. For errors that the others cannot know of.
    [[noreturn]] virtual void abort(const std::string& message) = 0;

    /// What the ranks run on, "mpi (Open MPI 4.1.4)"; the host's name; the rank among those of its host.
    virtual std::string description() const = 0;
    virtual std::string host() const = 0;
    virtual int rank_on_host() const = 0;

    void checks_calls(bool checks) { checks_ = checks; }

    /// Seconds that a rank waits for the others inside of an operation before it ends the job: the
    /// environment's AUREOLE_STALL_LIMIT where it is a number above 0, else what was set, else 1800.
    double stall_limit() const noexcept { return stall_limit_; }
    void set_stall_limit(double seconds);

    /// The last operations of this rank, newest last, by which a wait without end is explained.
    std::string trace() const;

protected:
    Communicator(int rank, int size);

    enum class Patience { busy, idle };
    virtual void do_barrier() = 0;
    virtual void do_broadcast(std::span<std::byte> bytes, int root, Patience patience) = 0;
    virtual void do_reduce(void* values, std::size_t n, bool is_signed, Reduction how) = 0;
    virtual void do_gather(std::span<const std::byte> mine, std::byte* all) = 0;
    /// `in` has its sizes already.
    virtual void do_exchange(const std::vector<std::vector<std::byte>>& out,
                             std::vector<std::vector<std::byte>>& in) = 0;

private:
    void enter(const char* operation, std::size_t bytes, const Place& place);
    void reduce(void* values, std::size_t n, bool is_signed, Reduction how, const Place& place);

    struct Call {
        const char* operation;
        std::size_t bytes;
        Place place;
    };
    static constexpr std::size_t n_traced = 32;
    Call last_[n_traced]{};
    std::uint64_t n_calls_ = 0, common_faults_ = 0;
    int rank_, size_;
    bool checks_;
    double stall_limit_;
};

/// This process alone.
std::unique_ptr<Communicator> one_process();

/// Whether this build speaks MPI (AUREOLE_MPI=ON).
bool with_mpi() noexcept;

/// How many processes a launcher (mpirun, srun) says it has started; 1 where none did.
int launched_processes();

/// The ranks of the launcher that started this process; one_process() where there is none, so that MPI is not
/// even started (that takes 0.8 s). Throws Error when a launcher started several processes and this build has
/// no MPI, or an MPI that does not know the launcher. After it, `MPI_Init` has been called: once in a
/// process.
std::unique_ptr<Communicator> open_ranks();

/// The same with MPI whatever launched the process; for tests. Defined in builds with MPI only.
std::unique_ptr<Communicator> open_mpi();

/// Seconds, where neither the environment nor anything else says them.
inline constexpr double default_stall_limit = 1800;

/// The bytes of plain values.
template <class T>
std::span<const std::byte> bytes_of(const T& value)
{
    return std::as_bytes(std::span(&value, 1));
}

/// Values of all ranks, one after the other, from host memory. Collective.
template <class T>
std::vector<T> gathered(Communicator& ranks, const std::vector<T>& own)
{
    std::vector<T> all;
    for (const auto& bytes : ranks.all_gather_v(std::as_bytes(std::span(own)))) {
        const std::size_t before = all.size();
        all.resize(before + bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(all.data() + before, bytes.data(), bytes.size());
    }
    return all;
}

}  // namespace aureole::comm
