#include "sim/cli/density/density_memory.hpp"

#include <fmt/format.h>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole::cli {

std::string memory_text(Backend where, std::initializer_list<MemoryPart> parts)
{
    std::size_t all = 0;
    for (const MemoryPart& part : parts) all += part.bytes;
    return memory_text(where, all, parts);
}

std::string memory_text(Backend where, std::size_t peak, std::initializer_list<MemoryPart> parts)
{
    std::string text;
    for (const MemoryPart& part : parts)
        if (part.bytes > 0)
            text += fmt::format("{} {} {:.1f}", text.empty() ? ":" : ",", part.what, megabytes(part.bytes));
    return fmt::format("memory {:6} {:.1f} MB{}\n", name_of(where), megabytes(peak), text);
}

void print_available(Backend where, std::size_t needed)
{
    const memory::Available available = memory::available(where);
    fmt::print("available     {:.1f} MB on {} beside what is held{}{}\n", megabytes(available.bytes),
               name_of(where), available.limit.empty() ? "" : " (" + available.limit + ")",
               needed > available.bytes ? ": too little" : "");
}

void expect_available(Backend where, std::size_t needed, const std::string& what, const std::string& less)
{
    const memory::Available available = memory::available(where);
    if (needed <= available.bytes) return;
    throw MemoryError(fmt::format("{} take {:.1f} MB on {}, {}; {} take less", what, megabytes(needed),
                                  name_of(where), available.text(), less));
}

}  // namespace aureole::cli
