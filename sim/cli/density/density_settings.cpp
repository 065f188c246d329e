#include "sim/cli/density/density_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::cli {

Particles chosen_types(const DensityCommand& command, Particles all)
{
    for (const int type : command.types)
        if (type < 0 || type >= n_particle_types)
            throw ConfigError(fmt::format("--types: found {}, expected types from 0 to 5", type));
    if (command.types.empty()) return all;
    std::vector<Index> members;
    for (Index i = 0; i < all.size(); ++i)
        if (std::ranges::find(command.types, all.type.host()[i]) != command.types.end()) members.push_back(i);
    if (members.empty())
        throw ConfigError(fmt::format("{}: none of its {} particles has the types that were asked for",
                                      command.snapshot.string(), all.size()));
    return all.gathered(members);
}

void append_units(io::Attributes& settings, const LoadedSnapshot& loaded)
{
    const io::SnapshotHeader& header = loaded.snapshot.header;
    settings.insert(settings.end(),
                    {{"Time", header.time},
                     {"Redshift", header.redshift},
                     {"Comoving", static_cast<std::int64_t>(header.comoving)},
                     {"HubbleParam", header.hubble},
                     {"Units", std::string(loaded.units.nbody ? "nbody" : "of the snapshot")}});
    if (loaded.units.nbody) return;
    const UnitSystem& units = loaded.units.system;
    settings.insert(settings.end(), {{"UnitLength_in_cm", units.length_cm},
                                     {"UnitMass_in_g", units.mass_g},
                                     {"UnitVelocity_in_cm_per_s", units.velocity_cm_per_s}});
}

io::Provenance density_provenance(const DensityCommand& command, const run::DeviceChoice& device)
{
    io::Provenance provenance = run::provenance_of(maker(command.command_line), device);
    provenance.emplace_back("Input", command.snapshot.string());
    return provenance;
}

std::string stream_fractions_text(std::span<const density::StreamVolume> fractions)
{
    constexpr std::size_t most_shown = 5;
    const std::size_t shown = fractions.size() <= most_shown + 1 ? fractions.size() : most_shown;
    std::string text;
    for (const auto& [streams, fraction] : fractions.first(shown))
        text += fmt::format("{}{}: {:.4g} %", text.empty() ? "" : ", ", streams, 100 * fraction);
    double rest = 0;
    for (const auto& [streams, fraction] : fractions.subspan(shown)) rest += fraction;
    if (shown < fractions.size())
        text += fmt::format(", {} to {}: {:.4g} %", fractions[shown].streams, fractions.back().streams,
                            100 * rest);
    return text;
}

}  // namespace aureole::cli
