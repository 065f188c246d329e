#include "sim/run/file_softening.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/io/list_text.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

bool configured(const GravityConfig& gravity)
{
    return gravity.softening || std::ranges::any_of(gravity.softening_by_type,
                                                    [](const auto& length) { return length.has_value(); });
}

/// "0.5 kpc", or "0.5 kpc (types 0, 4), 2 kpc (type 2)" where lengths differ.
std::string lengths_text(const std::vector<std::pair<double, std::vector<std::size_t>>>& types_by_length,
                         const std::string& unit)
{
    std::string text;
    for (const auto& [length, types] : types_by_length) {
        text += fmt::format("{}{:.6g}{}{}", text.empty() ? "" : ", ", length, unit.empty() ? "" : " ", unit);
        if (types_by_length.size() > 1)
            text += fmt::format(" (type{} {})", types.size() > 1 ? "s" : "", io::list_text(types, ", "));
    }
    return text;
}

}  // namespace

namespace {

/// The stated type with most particles, which stands for types of which nothing is said. Nothing when no
/// length is stated for the types that there are.
std::optional<std::size_t> usual_type(const io::Snapshot& file)
{
    if (!file.softening) return {};
    const auto counts = io::count_by_type(file.particles.view());
    std::optional<std::size_t> usual;
    for (std::size_t type = 0; type < n_particle_types; ++type)
        if (counts[type] > (usual ? counts[*usual] : 0) && file.softening->length[type] > 0) usual = type;
    return usual;
}

}  // namespace

std::string settle_softening(GravityConfig& gravity, const io::Snapshot& file, double length_scale,
                             const std::string& length_unit)
{
    const auto usual = usual_type(file);
    if (!usual) return "";
    const auto counts = io::count_by_type(file.particles.view());
    std::vector<std::pair<double, std::vector<std::size_t>>> stated;
    bool taken = false;
    for (std::size_t type = 0; type < n_particle_types; ++type) {
        const bool stated_here = counts[type] > 0 && file.softening->length[type] > 0;
        const double length = length_scale * file.softening->length[stated_here ? type : *usual];
        if (!gravity.softening && !gravity.softening_by_type[type]) {
            gravity.softening_by_type[type] = length;
            taken = true;
        }
        if (!stated_here) continue;
        const auto same = std::ranges::find(stated, length, [](const auto& entry) { return entry.first; });
        if (same != stated.end())
            same->second.push_back(type);
        else
            stated.push_back({length, {type}});
    }
    return fmt::format(
        "The file states a softening of {} ({}){}", lengths_text(stated, length_unit), file.softening->source,
        taken ? ", which is used; gravity.softening says otherwise." : "; the one that was given is used.");
}

double halo_softening(const Config& config, const io::Snapshot& file)
{
    const auto usual = usual_type(file);
    return configured(config.gravity) || !usual ? largest_softening(config) : file.softening->length[*usual];
}

}  // namespace aureole::run
