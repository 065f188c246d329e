// Keys as in PKDGRAV, Gasoline and ChaNGa: dKpcUnit, dMsolUnit (G = 1), bComove, bPeriodic, dPeriod, dOmega0,
// dLambda, dHubble0 (in units with G = 1).
#include "sim/io/snapshots/tipsy_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/tipsy.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {
namespace {

UnitSystem units_with_g_one(double length_cm, double mass_g)
{
    return {length_cm, mass_g, std::sqrt(gravitational_constant_cgs * mass_g / length_cm)};
}

/// Whether the keys achOutName and achInFile name another run than that of `snapshot`.
bool names_another_run(const TipsyParam& param, const std::filesystem::path& snapshot)
{
    bool named = false;
    for (const char* key : {"achOutName", "achInFile"}) {
        const auto found = param.values.find(key);
        if (found == param.values.end()) continue;
        const std::string run = std::filesystem::path(found->second).filename().string();
        if (run.empty()) continue;
        if (snapshot.filename().string().starts_with(run)) return false;
        named = true;
    }
    return named;
}

/// The side of the periodic box, 0 when open; adds a note when the box is not a cube.
double period(const TipsyParam& param, std::vector<std::string>& notes)
{
    if (param.number("bPeriodic").value_or(0) == 0) return 0;
    const double side = param.number("dPeriod").value_or(1);
    std::array<double, 3> sides;
    std::ranges::transform(std::array{"dxPeriod", "dyPeriod", "dzPeriod"}, sides.begin(),
                           [&](const char* key) { return param.number(key).value_or(side); });
    if (sides[0] == sides[1] && sides[0] == sides[2] && sides[0] > 0) return sides[0];
    notes.push_back(
        fmt::format("{} gives a periodic box of {} x {} x {}; only cubes are known, so the box was left "
                    "out.",
                    param.file.string(), sides[0], sides[1], sides[2]));
    return 0;
}

}  // namespace

std::optional<double> TipsyParam::number(const std::string& key) const
{
    const auto found = values.find(key);
    if (found == values.end()) return std::nullopt;
    std::string_view text = found->second;
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || !std::isfinite(value))
        throw IoError(
            fmt::format("{}: {} is '{}', expected a finite number", file.string(), key, found->second));
    return value;
}

TipsyParam read_tipsy_param(const std::filesystem::path& file)
{
    std::ifstream stream = open_text(file);
    TipsyParam param{file, {}, false};
    for (std::string line; std::getline(stream, line);) {
        if (line == fmt::format("# Units: {}", nbody_units_text)) param.nbody = true;
        const std::string_view text = std::string_view(line).substr(0, line.find('#'));
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        param.values[std::string(trimmed(text.substr(0, equals)))] = trimmed(text.substr(equals + 1));
    }
    return param;
}

std::optional<TipsyParam> find_tipsy_param(const std::filesystem::path& snapshot,
                                           std::vector<std::string>& notes)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    for (const fs::path& own : {fs::path(snapshot.string() + ".param"), tipsy_files(snapshot).parameters})
        if (own != snapshot && fs::is_regular_file(own, ignored)) return read_tipsy_param(own);

    std::vector<fs::path> others;
    const fs::path folder = snapshot.has_parent_path() ? snapshot.parent_path() : fs::path(".");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".param" && entry.is_regular_file(ignored))
            others.push_back(entry.path());
    if (others.size() == 1) {
        TipsyParam param = read_tipsy_param(others[0]);
        if (!names_another_run(param, snapshot)) {
            notes.push_back(fmt::format("Units and box are those of {}, the only .param file beside it.",
                                        others[0].string()));
            return param;
        }
        notes.push_back(
            fmt::format("{} names another run and was not used; if it belongs to this file, copy it to {}.",
                        others[0].string(), snapshot.string() + ".param"));
    } else if (others.size() > 1) {
        notes.push_back(fmt::format("None of the {} .param files beside it has its name, so none was used.",
                                    others.size()));
    }
    return std::nullopt;
}

SnapshotHeader to_snapshot_header(double time, const TipsyParam& param, std::vector<std::string>& notes)
{
    SnapshotHeader header;
    header.time = time;
    header.comoving = param.number("bComove").value_or(0) != 0;
    header.box_size = period(param, notes);
    if (header.comoving) {
        if (!(time > 0 && std::isfinite(1 / time)))
            throw IoError(
                fmt::format("{}: bComove is set, so the snapshot's time should be a scale factor, found {}",
                            param.file.string(), time));
        header.redshift = 1 / time - 1;
        header.h_exponent = 0;
        header.velocity_a_exponent = 1;
        header.omega0 = param.number("dOmega0").value_or(0);
        header.omega_lambda = param.number("dLambda").value_or(0);
    }
    const auto kpc = param.number("dKpcUnit"), solar_masses = param.number("dMsolUnit");
    if (!kpc || !solar_masses) return header;
    if (!(*kpc > 0 && *solar_masses > 0))
        throw IoError(fmt::format("{}: dKpcUnit is {} and dMsolUnit {}, expected numbers > 0",
                                  param.file.string(), *kpc, *solar_masses));
    const UnitSystem units = units_with_g_one(*kpc * kpc_cm, *solar_masses * solar_mass_g);
    const double hubble =
        param.number("dHubble0").value_or(0) / units.time_s() / cosmology::hubble_rate_per_s(1);
    if (!units.usable() || !std::isfinite(hubble))
        throw IoError(
            fmt::format("{}: dKpcUnit = {}, dMsolUnit = {} and dHubble0 = {} lead to numbers that are not "
                        "finite",
                        param.file.string(), *kpc, *solar_masses, param.number("dHubble0").value_or(0)));
    if (header.comoving && hubble > 0)
        header.hubble = hubble;
    else if (header.comoving)
        notes.push_back(fmt::format("{} has no dHubble0; h = 1 was taken.", param.file.string()));
    header.units = units;
    if (param.nbody && !header.comoving) header.nbody_scales = UnitScales{};  // G = 1 in any tipsy file
    return header;
}

UnitSystem tipsy_units(const SnapshotHeader& header)
{
    const double h = header.comoving ? std::pow(header.hubble, header.h_exponent) : 1;
    return units_with_g_one(header.units->length_cm * h, header.units->mass_g * h);
}

std::string to_param_text(const SnapshotHeader& header, const std::string& name)
{
    const UnitSystem units = tipsy_units(header);
    std::string text =
        fmt::format("achOutName = {}\ndKpcUnit = {}\ndMsolUnit = {}\nbComove = {}\nbPeriodic = {}\n", name,
                    units.length_cm / kpc_cm, units.mass_g / solar_mass_g, header.comoving ? 1 : 0,
                    header.box_size > 0 ? 1 : 0);
    if (header.box_size > 0) text += fmt::format("dPeriod = {}\n", header.box_size);
    if (header.comoving)
        text += fmt::format("dOmega0 = {}\ndLambda = {}\ndHubble0 = {}\n", header.omega0, header.omega_lambda,
                            header.hubble * cosmology::hubble_rate_per_s(1) * units.time_s());
    return text;
}

}  // namespace aureole::io
