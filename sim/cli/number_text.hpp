// Options that hold several numbers: "x,y,z" and "from:to:count"; numbers as they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::cli {

/// The parts of `text` between the marks; an empty part follows a mark at the end.
std::vector<std::string> parted(const std::string& text, char mark);

/// Three finite numbers parted by commas; throws ConfigError naming the option.
Vec3 parse_vector(const std::string& option, const std::string& text);

/// Two finite numbers parted by a comma; throws ConfigError naming the option.
std::pair<double, double> parse_pair(const std::string& option, const std::string& text);

struct NumberRange {
    double from = 0, to = 0;
    std::uint64_t count = 1;

    /// Evenly spaced, both ends included; a single one is `from`.
    double at(std::uint64_t k) const
    {
        if (k == 0) return from;
        const double share = static_cast<double>(k) / static_cast<double>(count - 1);
        return k + 1 == count ? to : from + share * (to - from);
    }
};

/// "from:to:count" with finite ends and a count of at least 1; throws ConfigError naming the option.
NumberRange parse_range(const std::string& option, const std::string& text);

/// 0 for what rounding leaves of 1 / a - 1 at a = 1, as codes store it.
double shown_redshift(double redshift);

}  // namespace aureole::cli
