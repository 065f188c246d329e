// Coefficient files for targets, and what is expected of any that was read.
#pragma once

#include <cmath>

#include "sim/io/fields/coefficient_file.hpp"
#include "tests/fuzz/scratch.hpp"

namespace aureole::fuzz {

/// Two moments, every number another.
inline io::CoefficientFile sample_coefficients(int n_max, int l_max, bool variances)
{
    io::CoefficientFile file;
    file.name = "a galaxy";
    file.n_max = n_max;
    file.l_max = l_max;
    file.scale = 2.5;
    if (variances) file.units = galactic_units;
    file.config = "n_max: 1\n";
    file.provenance = {{"Version", "0.1"}, {"Mass", 0.75}, {"Particles", std::int64_t{12}}};
    for (int k = 0; k < 2; ++k) {
        io::CoefficientMoment moment{0.5 + k, {1.0 + k, 2, 3}, {}, {}};
        for (std::size_t i = 0; i < file.size(); ++i) {
            const double x = 1 / (3.0 + static_cast<double>(i));
            moment.values.emplace_back(x, -x);
            if (variances) moment.variances.emplace_back(x * x, x);
        }
        file.moments.push_back(moment);
    }
    return file;
}

/// Throws Fault when a moment's numbers are not as many as the orders ask for, or not finite.
inline void expect_sound(const io::CoefficientFile& file)
{
    expect(!file.moments.empty() && file.scale > 0, "coefficients without moments or scale");
    for (const io::CoefficientMoment& moment : file.moments) {
        expect(moment.values.size() == file.size(), "a moment of another size");
        for (const auto& value : moment.values)
            expect(std::isfinite(value.real()) && std::isfinite(value.imag()), "a number that is not finite");
    }
}

}  // namespace aureole::fuzz
