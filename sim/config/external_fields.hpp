// The list `gravity.external.fields`: each entry names one field, with its settings and its place.
#pragma once

#include "sim/config/config_reader.hpp"
#include "sim/config/config_table.hpp"

namespace aureole::run {

/// Reads the list. Throws ConfigError naming the line for an entry that names no field or two, and for
/// settings that make none.
std::vector<gravity::FieldConfig> read_fields(const Reader& reader, const YAML::Node& list);

/// Throws ConfigError for fields where there can be none: in comoving coordinates and in a periodic box.
void expect_fields_possible(const Config& config);

}  // namespace aureole::run
