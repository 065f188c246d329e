#include "sim/config/density_choice.hpp"

#include <fmt/format.h>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {

DensityFields density_fields_of(const std::vector<std::string>& names)
{
    const auto& [mass, velocity, dispersion, streams] = density_field_words;
    DensityFields fields;
    for (const std::string& name : names)
        if (name == mass)
            fields.mass = true;
        else if (name == velocity)
            fields.others.velocity = true;
        else if (name == dispersion)
            fields.others.dispersion = true;
        else if (name == streams)
            fields.others.streams = true;
        else
            throw ConfigError(fmt::format("found '{}', expected some of {}", name,
                                          io::list_text(density_field_words, ", ")));
    return fields;
}

void expect_density_possible(const DensityConfig& config)
{
    if (config.method == density::Method::tetrahedra) return;
    const char* method = density::name_of(config.method);
    if (density_fields_of(config.fields).others.streams)
        throw ConfigError(fmt::format(
            "density.fields: streams are counted of tetrahedra; found density.method: {}", method));
    if (config.precision != Precision::double_precision)
        throw ConfigError(
            fmt::format("density.precision: mixed is of tetrahedra; found density.method: {}", method));
}

}  // namespace aureole::run
