#include "sim/run/coefficient_input.hpp"

#include <cmath>

#include "sim/analysis/expansion_file.hpp"
#include "sim/config/expansion_settings.hpp"

namespace aureole::run {
namespace {

UnitScales to_internal(const io::CoefficientFile& file, const RunUnits& units)
{
    if (!file.units) return {.time = std::sqrt(file.gravitational_constant)};
    const UnitScales scales = units.to_file(*file.units);
    return {.length = 1 / scales.length, .mass = 1 / scales.mass, .time = 1 / scales.time};
}

}  // namespace

void load_coefficients(Config& internal, const RunUnits& units)
{
    if (internal.gravity.solver != "scf") return;
    auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const std::filesystem::path path = expansion_of(internal, k).coefficients;
        if (path.empty()) continue;
        io::CoefficientFile file = io::read_coefficients(path);
        file.name = path.string();  // whom messages name
        components[k].coefficients = scaled(to_series(file), to_internal(file, units));
    }
}

}  // namespace aureole::run
