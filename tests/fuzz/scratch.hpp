// Where targets put the files that they read, and how one input holds several files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::fuzz {

/// All files of an input have names that begin with this.
inline constexpr std::string_view input_name = "fuzz_input";

/// A path in a folder of this process (below TMPDIR), gone at its end.
std::filesystem::path scratch(const std::string& name);

/// Removes all files of earlier inputs.
void clear_scratch();

/// Writes `bytes` to scratch(name) and returns that.
std::filesystem::path put(const std::string& name, std::string_view bytes);
std::string content_of(const std::filesystem::path& file);

/// Files of one input, parted by a line "%%%%".
std::string join_files(const std::vector<std::string>& files);
std::vector<std::string> split_files(const std::string& input);

/// Throws Fault unless every number of a snapshot that was read is finite and can be a particle's.
void expect_sound(const io::Snapshot& snapshot);

/// Throws Fault unless `good`.
void expect(bool good, const std::string& what);

}  // namespace aureole::fuzz
