// What all communicators share: the check of calls, their trace, and the operations that rest on others.
#include "sim/comm/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "sim/core/error.hpp"

namespace aureole::comm {
namespace {

#if defined(AUREOLE_COMM_CHECK)
constexpr bool checked_build = true;
#else
constexpr bool checked_build = false;
#endif

/// What ranks compare before an operation.
struct CallRecord {
    std::uint64_t number, bytes;
    std::uint32_t line;
    char operation[20], file[96];

    bool operator==(const CallRecord& other) const
    {
        return number == other.number && bytes == other.bytes && line == other.line &&
               std::strcmp(operation, other.operation) == 0 && std::strcmp(file, other.file) == 0;
    }
    std::string text() const
    {
        return fmt::format("{} of {} bytes, its call {}, at {}:{}", operation, bytes, number, file, line);
    }
};

/// The end of a text in a field of fixed size.
template <std::size_t n>
void put(char (&field)[n], std::string_view text)
{
    if (text.size() >= n) text.remove_prefix(text.size() - (n - 1));
    std::memset(field, 0, n);
    std::memcpy(field, text.data(), text.size());
}

int number_in(const char* variable)
{
    const char* const text = std::getenv(variable);
    return text ? std::atoi(text) : 0;
}

/// That of the environment; 0 where it has none.
double asked_stall_limit()
{
    const char* const text = std::getenv("AUREOLE_STALL_LIMIT");
    return text ? std::max(std::atof(text), 0.0) : 0;
}

/// What of an operation takes memory for what others give. A rank that has none cannot tell them: they wait
/// in the operation.
template <class Work>
void or_end_of_job(Communicator& ranks, const char* operation, Work work)
{
    try {
        work();
    } catch (const std::bad_alloc&) {
        if (ranks.size() == 1) throw;
        ranks.abort(fmt::format("there is no memory for what other ranks send ({})", operation));
    }
}

}  // namespace

Communicator::Communicator(int rank, int size)
    : rank_(rank), size_(size), checks_(checked_build), stall_limit_(default_stall_limit)
{
    set_stall_limit(default_stall_limit);
}

void Communicator::set_stall_limit(double seconds)
{
    const double asked = asked_stall_limit();
    stall_limit_ = asked > 0 ? asked : seconds;
}

void Communicator::enter(const char* operation, std::size_t bytes, const Place& place)
{
    last_[n_calls_++ % n_traced] = {operation, bytes, place};
    if (!checks_ || size_ == 1) return;
    CallRecord mine{n_calls_, bytes, place.line(), {}, {}};
    put(mine.operation, operation);
    put(mine.file, place.file_name());
    std::vector<CallRecord> all(static_cast<std::size_t>(size_));
    do_gather(bytes_of(mine), reinterpret_cast<std::byte*>(all.data()));
    for (int r = 1; r < size_; ++r)
        if (const CallRecord& other = all[static_cast<std::size_t>(r)]; !(other == all[0])) {
            ++common_faults_;
            throw Error(fmt::format("ranks disagree about what comes next: rank 0 calls {}; rank {} calls {}",
                                    all[0].text(), r, other.text()));
        }
}

std::string Communicator::trace() const
{
    std::string text;
    for (std::uint64_t k = n_calls_ - std::min<std::uint64_t>(n_calls_, n_traced); k < n_calls_; ++k) {
        const Call& call = last_[k % n_traced];
        text += fmt::format("{}: {} of {} bytes at {}:{}\n", k + 1, call.operation, call.bytes,
                            call.place.file_name(), call.place.line());
    }
    return text;
}

void Communicator::barrier(Place place)
{
    enter("barrier", 0, place);
    do_barrier();
}

void Communicator::broadcast(std::span<std::byte> bytes, int root, Place place)
{
    enter("broadcast", bytes.size(), place);
    do_broadcast(bytes, root, Patience::busy);
}

void Communicator::broadcast_any(std::vector<std::byte>& bytes, int root, Place place)
{
    enter("broadcast_any", 0, place);
    std::uint64_t n = bytes.size();
    do_broadcast(std::as_writable_bytes(std::span(&n, 1)), root, Patience::idle);
    or_end_of_job(*this, "broadcast_any", [&] { bytes.resize(static_cast<std::size_t>(n)); });
    do_broadcast(bytes, root, Patience::busy);
}

void Communicator::reduce(void* values, std::size_t n, bool is_signed, Reduction how, const Place& place)
{
    constexpr const char* names[] = {"all_reduce sum", "all_reduce min", "all_reduce max"};
    enter(names[static_cast<int>(how)], n * sizeof(std::uint64_t), place);
    do_reduce(values, n, is_signed, how);
}

void Communicator::all_reduce(std::span<std::uint64_t> values, Reduction how, Place place)
{
    reduce(values.data(), values.size(), false, how, place);
}

void Communicator::all_reduce(std::span<std::int64_t> values, Reduction how, Place place)
{
    reduce(values.data(), values.size(), true, how, place);
}

void Communicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all, Place place)
{
    AUREOLE_EXPECT(all.size() == mine.size() * static_cast<std::size_t>(size_),
                   "{} bytes of each of {} ranks are gathered into {}", mine.size(), size_, all.size());
    enter("all_gather", mine.size(), place);
    do_gather(mine, all.data());
}

std::vector<std::vector<std::byte>> Communicator::all_gather_v(std::span<const std::byte> mine, Place place)
{
    enter("all_gather_v", 0, place);
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
    const std::uint64_t n = mine.size();
    do_gather(bytes_of(n), reinterpret_cast<std::byte*>(sizes.data()));
    std::vector<std::vector<std::byte>> all(sizes.size());
    for (int r = 0; r < size_; ++r) {
        std::vector<std::byte>& part = all[static_cast<std::size_t>(r)];
        or_end_of_job(*this, "all_gather_v", [&] { part.resize(sizes[static_cast<std::size_t>(r)]); });
        if (r == rank_) std::ranges::copy(mine, part.begin());
        do_broadcast(part, r, Patience::busy);
    }
    return all;
}

std::vector<std::vector<std::byte>> Communicator::all_to_all_v(const std::vector<std::vector<std::byte>>& out,
                                                               Place place)
{
    const auto n = static_cast<std::size_t>(size_), me = static_cast<std::size_t>(rank_);
    AUREOLE_EXPECT(out.size() == n, "{} boxes are sent to {} ranks", out.size(), size_);
    enter("all_to_all_v", 0, place);
    std::vector<std::uint64_t> mine(n), all(n * n);
    for (std::size_t r = 0; r < n; ++r) mine[r] = out[r].size();
    do_gather(std::as_bytes(std::span(mine)), reinterpret_cast<std::byte*>(all.data()));
    std::vector<std::vector<std::byte>> in(n);
    or_end_of_job(*this, "all_to_all_v", [&] {
        for (std::size_t r = 0; r < n; ++r) in[r].resize(all[r * n + me]);
        do_exchange(out, in);
    });
    return in;
}

std::uint64_t Communicator::exclusive_sum(std::uint64_t value, Place place)
{
    enter("exclusive_sum", sizeof value, place);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
    do_gather(bytes_of(value), reinterpret_cast<std::byte*>(all.data()));
    std::uint64_t sum = 0;
    for (int r = 0; r < rank_; ++r) sum += all[static_cast<std::size_t>(r)];
    return sum;
}

void Communicator::agree(const std::string& fault, Place place)
{
    enter("agree", 0, place);
    std::uint64_t lowest =
        fault.empty() ? std::numeric_limits<std::uint64_t>::max() : static_cast<unsigned>(rank_);
    do_reduce(&lowest, 1, false, Reduction::min);
    if (lowest == std::numeric_limits<std::uint64_t>::max()) return;
    const int root = static_cast<int>(lowest);
    std::uint64_t length = fault.size();
    do_broadcast(std::as_writable_bytes(std::span(&length, 1)), root, Patience::busy);
    std::string text = fault;
    text.resize(static_cast<std::size_t>(length));
    do_broadcast(std::as_writable_bytes(std::span(text)), root, Patience::busy);
    ++common_faults_;
    throw Error(size_ == 1 ? text : fmt::format("rank {} of {}: {}", root, size_, text));
}

int launched_processes()
{
    // a batch script of Slurm, which no launcher has started, knows no SLURM_STEP_NUM_TASKS above 1
    int most = 1;
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        most = std::max(most, number_in(variable));
    return most;
}

}  // namespace aureole::comm
