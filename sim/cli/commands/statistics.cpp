#include "sim/cli/commands/statistics.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/cli/file_roles.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"

namespace aureole::cli {

bool is_cosmological(const io::SnapshotHeader& header) { return header.comoving && header.hubble > 0; }

run::HubbleScales scales_of(const io::SnapshotHeader& header, const UnitSystem& units)
{
    const double h = std::pow(header.hubble, header.h_exponent);
    return run::hubble_scales({units.length_cm * h, units.mass_g * h, units.velocity_cm_per_s},
                              header.hubble);
}

std::optional<run::LinearTheory> theory_of(const io::SnapshotHeader& header,
                                           const std::vector<std::string>& overrides, double a)
{
    if (overrides.empty()) return {};
    std::vector<std::string> all;
    if (is_cosmological(header) && header.omega0 > 0) {
        all.push_back(fmt::format("cosmology.omega_m={}", header.omega0));
        all.push_back(fmt::format("cosmology.h={}", header.hubble));
        all.push_back(fmt::format("cosmology.omega_lambda={}", header.omega_lambda));
        if (header.omega_baryon > 0) all.push_back(fmt::format("cosmology.omega_b={}", header.omega_baryon));
    }
    for (const std::string& text : overrides) {
        if (!text.starts_with("cosmology."))
            throw ConfigError(fmt::format("--set {}: expected keys of cosmology, for linear theory", text));
        all.push_back(text);
    }
    return run::LinearTheory::of(config_from_overrides(all).cosmology, a);
}

io::Provenance provenance_of_statistics(const std::string& command_line, const std::filesystem::path& input)
{
    io::Provenance provenance = provenance_of(maker(command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", input.string());
    return provenance;
}

}  // namespace aureole::cli
