#include "sim/core/memory/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace aureole::memory {
namespace {

namespace fs = std::filesystem;

using Bytes = std::optional<std::size_t>;

constexpr std::size_t kilobyte = 1024;  // of /proc, which writes kB

Bytes least_of(Bytes a, Bytes b) { return a && b ? std::min(a, b) : a ? a : b; }

/// The number behind `name` in lines of names and numbers.
Bytes number_after(const fs::path& file, const std::string& name)
{
    std::ifstream stream(file);
    std::string word;
    for (std::size_t number = 0; stream >> word; stream.clear())
        if (word == name && stream >> number) return number;
    return std::nullopt;
}

/// A file of one number; "max" is none.
Bytes number_in(const fs::path& file)
{
    std::ifstream stream(file);
    std::size_t number = 0;
    return stream >> number ? Bytes(number) : std::nullopt;
}

/// How a version of control groups says what a group may take and holds.
struct Names {
    const char *controllers, *folder, *limit, *used, *cached, *shared;
};

constexpr Names names[] = {{"", "sys/fs/cgroup", "memory.max", "memory.current", "file", "shmem"},
                           {"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes",
                            "memory.usage_in_bytes", "total_cache", "total_shmem"}};

/// Cached files are given back when memory is needed; shared memory and files of tmpfs, counted among them,
/// are not.
Bytes left_of(const fs::path& group, const Names& of)
{
    const Bytes limit = number_in(group / of.limit), used = number_in(group / of.used);
    if (!limit || !used) return std::nullopt;
    const fs::path parts = group / "memory.stat";
    const std::size_t cached =
        less(number_after(parts, of.cached).value_or(0), number_after(parts, of.shared).value_or(0));
    return less(*limit, less(*used, cached));
}

/// Of this process, below the folder that is mounted: "/" where none is named.
fs::path group_of_process(const fs::path& root, const std::string& controllers)
{
    std::ifstream stream(root / "proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) {  // 4:memory:/folder/of/group
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        if (line.substr(first + 1, second - first - 1) == controllers)
            return fs::path(line.substr(second + 1)).relative_path();
    }
    return {};
}

/// The least that the group and those around it leave: a limit holds for all below it. In a container the
/// path may be that outside, of which only the end of the way up is there.
Bytes left_of_groups(const fs::path& root, const Names& of)
{
    Bytes least;
    for (fs::path group = group_of_process(root, of.controllers);; group = group.parent_path()) {
        least = least_of(least, left_of(root / of.folder / group, of));
        if (group.empty()) return least;
    }
}

/// At least: what was touched is in memory, and counted as taken already, but so is what the process holds
/// besides.
std::size_t untouched(std::size_t allocated, const fs::path& root)
{
    const fs::path status = root / "proc/self/status";
    Bytes touched = number_after(status, "RssAnon:");
    if (!touched) touched = number_after(status, "VmRSS:");
    return less(allocated, touched.value_or(0) * kilobyte);
}

}  // namespace

Bytes host_available_bytes(std::size_t allocated, const fs::path& root)
{
    Bytes least = number_after(root / "proc/meminfo", "MemAvailable:");
    if (least) *least *= kilobyte;
    for (const Names& version : names) least = least_of(least, left_of_groups(root, version));
    if (least) *least = less(*least, untouched(allocated, root));
    return least;
}

}  // namespace aureole::memory
