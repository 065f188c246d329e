#include "sim/run/ranks/shared_reading.hpp"

#include <cstring>
#include <string_view>

#include "gravity/ranks/ranked_solver.hpp"
#include "sim/io/ranks/snapshot_rows.hpp"

namespace aureole::run {
namespace {

/// What such a task begins with; the name of the file follows.
constexpr std::string_view beginning = "read the rows of a snapshot: ";

std::string_view text_of(std::span<const std::byte> task)
{
    return {reinterpret_cast<const char*>(task.data()), task.size()};
}

/// Called by all ranks here: a checked build compares the places of calls.
io::Snapshot read(comm::Communicator& ranks, const std::filesystem::path& file)
{
    return io::gather_snapshot(ranks, io::read_snapshot_rows(ranks, file));
}

}  // namespace

io::Snapshot read_by_ranks(comm::Communicator& ranks, const std::filesystem::path& file)
{
    const std::string task = std::string(beginning) + file.string();
    gravity::begin_other(ranks, std::as_bytes(std::span(task)));
    return read(ranks, file);
}

bool is_reading(std::span<const std::byte> task) { return text_of(task).starts_with(beginning); }

void serve_reading(comm::Communicator& ranks, std::span<const std::byte> task)
{
    try {
        read(ranks, std::string(text_of(task).substr(beginning.size())));
    } catch (const std::exception&) {
        // agreed: rank 0 has it
    }
}

}  // namespace aureole::run
