#include "sim/core/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace aureole::memory {
namespace {

using Bytes = std::optional<std::size_t>;

/// The number behind `name` in lines of names and numbers.
Bytes number_after(const std::filesystem::path& file, const std::string& name)
{
    std::ifstream stream(file);
    std::string word;
    for (std::size_t number = 0; stream >> word; stream.clear())
        if (word == name && stream >> number) return number;
    return std::nullopt;
}

/// A file of one number; "max" is none.
Bytes number_in(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::size_t number = 0;
    return stream >> number ? Bytes(number) : std::nullopt;
}

/// Cached files are given back when memory is wanted.
Bytes left_of(Bytes limit, Bytes used, Bytes cached)
{
    if (!limit || !used) return std::nullopt;
    const std::size_t held = *used - std::min(*used, cached.value_or(0));
    return *limit - std::min(*limit, held);
}

}  // namespace

Bytes available_bytes(const std::filesystem::path& root)
{
    Bytes least = number_after(root / "proc/meminfo", "MemAvailable:");
    if (least) *least *= 1024;  // told in kB
    const std::filesystem::path second = root / "sys/fs/cgroup", first = second / "memory";
    for (const Bytes left :
         {left_of(number_in(second / "memory.max"), number_in(second / "memory.current"),
                  number_after(second / "memory.stat", "file")),
          left_of(number_in(first / "memory.limit_in_bytes"), number_in(first / "memory.usage_in_bytes"),
                  number_after(first / "memory.stat", "total_cache"))})
        if (left) least = std::min(*left, least.value_or(*left));
    return least;
}

}  // namespace aureole::memory
