// The memory that `aureole density` and `aureole render` print and check before they start.
#pragma once

#include <initializer_list>
#include <string>

#include "sim/core/backend.hpp"

namespace aureole::cli {

struct MemoryPart {
    const char* what;
    std::size_t bytes;
};

/// "memory cpu    12.3 MB: particles 1.2, grid and order 11.1": a line of --dry-run; parts of no bytes are
/// left out.
std::string memory_text(Backend where, std::initializer_list<MemoryPart> parts);

/// The same where not all parts are held at one time: `peak` is the largest sum.
std::string memory_text(Backend where, std::size_t peak, std::initializer_list<MemoryPart> parts);

/// Prints the memory that is available and whether `needed` bytes are more than that.
void print_available(Backend where, std::size_t needed);

/// Throws MemoryError when `needed` bytes are not available: "WHAT take N MB on cpu, M MB available; LESS
/// take less". The system grants memory before it has it, so an allocation alone would not fail.
void expect_available(Backend where, std::size_t needed, const std::string& what, const std::string& less);

}  // namespace aureole::cli
