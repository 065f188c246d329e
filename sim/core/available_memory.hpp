// How much memory the host can still give: what is asked for beyond that is handed out at first and ends the
// program when it is touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace aureole::memory {

/// Bytes the operating system has available, and what is left of a control group's limit where there is one
/// (both versions), the smaller; nothing where neither is told. `root` stands for `/` in tests.
std::optional<std::size_t> available_bytes(const std::filesystem::path& root = "/");

}  // namespace aureole::memory
