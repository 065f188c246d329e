// What a configuration's YAML may cost before it is taken seriously.
#pragma once

#include <filesystem>
#include <string>

namespace aureole::run {

inline constexpr std::size_t most_yaml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t most_yaml_nodes = 100000;  ///< with what aliases stand for

/// Throws ConfigError naming `name` and the line when `text` is longer, holds more nodes, or an alias inside
/// of what it stands for: a few lines of YAML can mean more values than any memory holds. Throws
/// YAML::Exception for what is no YAML.
void expect_modest_yaml(const std::string& text, const std::filesystem::path& name);

}  // namespace aureole::run
