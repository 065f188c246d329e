// How much memory the host can still give: what is asked for beyond that is handed out at first and ends the
// program when it is touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace aureole::memory {

/// Bytes the operating system has available, or what is left of a control group's limit where that is less
/// (both versions; this process's group and those around it). Of `allocated` bytes of this process, what has
/// not been touched yet is still among those, and is taken off. Nothing where neither is told. `root` stands
/// for `/` in tests.
std::optional<std::size_t> host_available_bytes(std::size_t allocated,
                                                const std::filesystem::path& root = "/");

}  // namespace aureole::memory
