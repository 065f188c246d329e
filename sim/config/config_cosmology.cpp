// The universe of a run: its keys, and what follows from them.
#include <charconv>
#include <fstream>

#include "sim/config/config_rows.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::run {

using namespace rows;

/// The universe and the box of a cosmological run.
void add_cosmology_keys(std::vector<Key<Config>>& keys)
{
    using C = Config;
    const std::vector<Key<C>> rows{
        row<C>(
            "box", length, AUREOLE_FIELD(box),
            "side of a periodic box [0, side)^3; default: that of a comoving file or of a lattice, else open "
            "space",
            positive()),
        row<C>(
            "cosmology.omega_m", number, AUREOLE_FIELD(cosmology.omega_m),
            "matter of today over the critical density. With it the run integrates in comoving coordinates: "
            "times are scale factors, also written z=3 or, as an age, 1 Gyr; intervals `every` are of the "
            "scale factor, steps of its logarithm",
            positive()),
        row<C>("cosmology.h", number, AUREOLE_FIELD(cosmology.h),
               "H0 over 100 km/s/Mpc; needed with cosmology.omega_m, and for units as Mpc/h", positive()),
        row<C>("cosmology.omega_lambda", number, AUREOLE_FIELD(cosmology.omega_lambda),
               "dark energy of today; default 1 - omega_m - omega_r, flat space"),
        row<C>("cosmology.omega_b", number, AUREOLE_FIELD(cosmology.omega_b), "baryons, a part of omega_m",
               not_negative()),
        row<C>("cosmology.omega_r", number, AUREOLE_FIELD(cosmology.omega_r),
               "radiation, which expands with the rest and does not cluster", not_negative()),
        row<C>("cosmology.w0", number, AUREOLE_FIELD(cosmology.w0),
               "pressure over density of dark energy is w0 + wa (1 - a)"),
        row<C>("cosmology.wa", number, AUREOLE_FIELD(cosmology.wa), "see w0"),
        choice_key<C>("cosmology.spectrum",
                      "linear spectrum of today: eisenstein_hu (the fit of 1998, with baryons), table (of "
                      "spectrum_file), power_law (k^spectral_index)",
                      AUREOLE_FIELD(cosmology.spectrum),
                      std::vector<Choice<SpectrumSource>>{{"eisenstein_hu", SpectrumSource::eisenstein_hu},
                                                          {"table", SpectrumSource::table},
                                                          {"power_law", SpectrumSource::power_law}}),
        row<C>("cosmology.spectrum_file", number, AUREOLE_FIELD(cosmology.spectrum_file),
               "two columns, k in h/Mpc and P in (Mpc/h)^3 at z = 0; further ones are not read"),
        row<C>("cosmology.spectral_index", number, AUREOLE_FIELD(cosmology.spectral_index),
               "n_s of the fit, n of the power law"),
        row<C>(
            "cosmology.sigma_8", number, AUREOLE_FIELD(cosmology.sigma_8),
            "normalises the spectrum: rms of the density today in spheres of 8 Mpc/h; a table may go without",
            positive()),
        row<C>("cosmology.t_cmb", number, AUREOLE_FIELD(cosmology.t_cmb),
               "temperature of the microwave background of the fit, K", positive()),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
}

cosmology::Parameters CosmologyConfig::parameters() const
{
    const double m = omega_m.value_or(0);
    return {.omega_m = m,
            .omega_de = omega_lambda.value_or(1 - m - omega_r),
            .omega_r = omega_r,
            .w0 = w0,
            .wa = wa};
}

namespace {

/// The first two numbers of each line; # begins a comment.
cosmology::LinearSpectrum read_spectrum(const std::filesystem::path& file)
{
    std::ifstream in = io::open_text(file);
    std::vector<double> k, power;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::string_view rest = std::string_view(line).substr(0, line.find('#'));
        double row[2];
        int found = 0;
        for (; found < 2; ++found) {
            const std::size_t begin = rest.find_first_not_of(" \t\r,");
            if (begin == std::string_view::npos) break;
            rest.remove_prefix(begin);
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), row[found]);
            if (error != std::errc{}) break;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        }
        if (found == 0 && io::trimmed(rest).empty()) continue;
        if (found < 2)
            throw IoError(fmt::format("{}:{}: found {} number(s), expected k in h/Mpc and P in (Mpc/h)^3",
                                      file.string(), number, found));
        k.push_back(row[0]);
        power.push_back(row[1]);
    }
    try {
        return cosmology::LinearSpectrum::table(k, power);
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

}  // namespace

cosmology::LinearSpectrum CosmologyConfig::linear_spectrum() const
{
    const auto needed = [](const std::optional<double>& value, const char* key) {
        if (!value)
            throw ConfigError(fmt::format("cosmology.{} is not given, and the spectrum needs it", key));
        return *value;
    };
    if (spectrum == SpectrumSource::table) {
        if (spectrum_file.empty())
            throw ConfigError("cosmology.spectrum is table, which needs cosmology.spectrum_file");
        const cosmology::LinearSpectrum table = read_spectrum(spectrum_file);
        return sigma_8 ? table.with_sigma_8(*sigma_8) : table;
    }
    if (!spectrum_file.empty())
        throw ConfigError("cosmology.spectrum_file is given, expected cosmology.spectrum: table beside it");
    const double index = needed(spectral_index, "spectral_index");
    const double normalisation = needed(sigma_8, "sigma_8");
    if (spectrum == SpectrumSource::power_law)
        return cosmology::LinearSpectrum::power_law(index).with_sigma_8(normalisation);
    const cosmology::MatterContent content{
        .h = h.value_or(0), .omega_m = omega_m.value_or(0), .omega_b = omega_b, .t_cmb = t_cmb};
    return cosmology::LinearSpectrum::eisenstein_hu(content, index).with_sigma_8(normalisation);
}

}  // namespace aureole::run
