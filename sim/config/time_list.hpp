// Lists of output times: written out in the configuration, or in a file of their own.
#pragma once

#include <vector>

#include "sim/config/config_key.hpp"

namespace aureole::run {

/// The times of `from`: a list, one time, or the name of a text file with one time in each line, where #
/// begins a comment. Each may have a unit, as in 500 Myr; the result is in the run's units. Throws
/// ConfigError naming the time, and of a file its line, for what is no time, and for times that do not rise;
/// IoError for a file that cannot be read.
std::vector<double> read_times(const Value& from, const ReadContext& context);

}  // namespace aureole::run
