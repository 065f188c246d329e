#include "sim/run/ranks/shared_reading.hpp"

#include <cstring>
#include <string_view>

#include "gravity/ranks/ranked_solver.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/io/ranks/snapshot_rows.hpp"

namespace aureole::run {
namespace {

/// What such a task begins with; the stall limit and the name of the file follow.
constexpr std::string_view beginning = "read the rows of a snapshot: ";

std::string_view text_of(std::span<const std::byte> task)
{
    return {reinterpret_cast<const char*>(task.data()), task.size()};
}

/// Called by all ranks here: a checked build compares the places of calls.
io::Snapshot read(comm::Communicator& ranks, const std::filesystem::path& file, double stall_limit)
{
    ranks.set_stall_limit(stall_limit);
    return comm::ending_together(
        ranks, [&] { return io::gather_snapshot(ranks, io::read_snapshot_rows(ranks, file)); },
        "memory is exhausted while a snapshot is read");
}

}  // namespace

io::Snapshot read_by_ranks(comm::Communicator& ranks, const std::filesystem::path& file, double stall_limit)
{
    std::string task(beginning);
    task.append(reinterpret_cast<const char*>(&stall_limit), sizeof stall_limit);
    task += file.string();
    gravity::begin_other(ranks, std::as_bytes(std::span(task)));
    return read(ranks, file, stall_limit);
}

bool is_reading(std::span<const std::byte> task) { return text_of(task).starts_with(beginning); }

void serve_reading(comm::Communicator& ranks, std::span<const std::byte> task)
{
    try {
        const std::string_view text = text_of(task).substr(beginning.size());
        double stall_limit = 0;
        std::memcpy(&stall_limit, text.data(), sizeof stall_limit);
        read(ranks, std::string(text.substr(sizeof stall_limit)), stall_limit);
    } catch (const std::exception&) {
        // agreed: rank 0 has it
    }
}

}  // namespace aureole::run
