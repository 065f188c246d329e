#include "sim/analysis/statistics_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "halo/overdensity/contained_centres.hpp"
#include "sim/core/error.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::run {

LinearTheory::LinearTheory(const CosmologyConfig& config, double last)
    : today_(config.linear_spectrum()),
      growth_(cosmology::Background(config.parameters()), std::max(1.0, last)),
      omega_m_(config.omega_m.value())
{
}

std::optional<LinearTheory> LinearTheory::of(const CosmologyConfig& config, double last)
{
    if (!config.given() || !config.names_spectrum()) return {};
    return LinearTheory(config, last);
}

double LinearTheory::power(double k, double a) const
{
    const double growth = growth_.at(a).d;
    return growth * growth * today_(k);
}

cosmology::MassFunction LinearTheory::mass_function(double a) const
{
    return {today_, omega_m_, growth_.at(a).d, 1 / a - 1};
}

HubbleScales hubble_scales(const UnitSystem& units, double h)
{
    constexpr double mpc_cm = 1e3 * kpc_cm;
    return {units.length_cm / mpc_cm * h, units.mass_g / solar_mass_g * h};
}

namespace {

constexpr Dimension per_volume{-3, 0, 0};

/// The masses of all halos by one definition.
struct MassesOfHalos {
    std::string name, meaning;
    std::vector<double> of_halo;  ///< Msun/h; NaN or 0 where there is none
};

const Column& column_of(const Table& groups, const char* name)
{
    const Column* const column = groups.find(name);
    if (!column) throw IoError(fmt::format("the catalogue has no {}, which mass functions need", name));
    return *column;
}

std::vector<double> scaled(const Column& column, double factor)
{
    std::vector<double> result = std::get<std::vector<double>>(column.values);
    for (double& value : result) value *= factor;
    return result;
}

const std::vector<double>* doubles_of(const Table& groups, const std::string& name)
{
    const Column* const column = groups.find(name);
    return column ? std::get_if<std::vector<double>>(&column->values) : nullptr;
}

/// The masses of spheres, none (0) for those whose centre lies in the sphere of a more massive group.
MassesOfHalos masses_of_spheres(const Table& groups, const Column& column, const std::string& name,
                                const CatalogueScales& scales)
{
    MassesOfHalos masses{name, "spheres", scaled(column, scales.mass)};
    const std::vector<double>* const place = doubles_of(groups, "GroupPos");
    const std::vector<double>* const radius = doubles_of(groups, "Group_R_" + name);
    if (!place || !radius) return masses;
    std::vector<Vec3> centre;
    for (std::size_t i = 0; i < groups.rows; ++i)
        centre.push_back({(*place)[3 * i], (*place)[3 * i + 1], (*place)[3 * i + 2]});
    const std::vector<bool> inside = halo::centres_in_larger_spheres(
        {scales.side}, centre, *radius, std::get<std::vector<double>>(column_of(groups, "GroupMass").values));
    for (std::size_t i = 0; i < groups.rows; ++i)
        if (inside[i]) masses.of_halo[i] = 0;
    masses.meaning = "spheres whose centre lies in no sphere of a more massive group";
    return masses;
}

std::vector<MassesOfHalos> all_masses(const Table& groups, const CatalogueScales& scales)
{
    constexpr std::string_view spheres = "Group_M_";
    constexpr double warren_exponent = -0.6;
    const std::vector<double> mass = scaled(column_of(groups, "GroupMass"), scales.mass);
    const auto& members = std::get<std::vector<std::int64_t>>(column_of(groups, "GroupLen").values);
    std::vector<double> corrected = mass;
    for (std::size_t i = 0; i < corrected.size(); ++i)
        corrected[i] *= 1 - std::pow(static_cast<double>(members[i]), warren_exponent);
    std::vector<MassesOfHalos> all{
        {"FoF", "groups", mass},
        {"FoFWarren", "groups, times 1 - N^-0.6 of N members (Warren et al. 2006)", corrected}};
    for (const Column& column : groups.columns)
        if (column.name.starts_with(spheres))
            all.push_back(masses_of_spheres(groups, column, column.name.substr(spheres.size()), scales));
    return all;
}

int bin_of(double mass, unsigned bins) { return static_cast<int>(std::floor(std::log10(mass) * bins)); }

bool has_mass(double mass) { return mass > 0 && std::isfinite(mass); }

/// First and last bin that hold a halo; the first above the last where there is none.
std::pair<int, int> occupied_bins(const std::vector<MassesOfHalos>& all, unsigned bins)
{
    int first = std::numeric_limits<int>::max(), last = std::numeric_limits<int>::min();
    for (const MassesOfHalos& masses : all)
        for (const double mass : masses.of_halo) {
            if (!has_mass(mass)) continue;
            first = std::min(first, bin_of(mass, bins));
            last = std::max(last, bin_of(mass, bins));
        }
    return {first, last};
}

void add_counts(Table& table, const MassesOfHalos& masses, int first, unsigned bins, double shells)
{
    std::vector<std::int64_t> count(table.rows);
    for (const double mass : masses.of_halo)
        if (has_mass(mass)) ++count[static_cast<std::size_t>(bin_of(mass, bins) - first)];
    std::vector<double> density, error;
    for (const std::int64_t n : count) {
        density.push_back(static_cast<double>(n) / shells);
        error.push_back(std::sqrt(static_cast<double>(n)) / shells);
    }
    const auto add = [&](const char* name, const std::string& meaning, Dimension dimension, auto values) {
        table.columns.push_back({name + masses.name, meaning, dimension, 1, std::move(values)});
    };
    add("Count_", "Halos in the bin; masses of " + masses.meaning + ".", {}, std::move(count));
    add("DnDlnM_", "Count / (volume dlnM).", per_volume, std::move(density));
    add("Error_", "Poisson error, sqrt(Count) / (volume dlnM).", per_volume, std::move(error));
}

/// Means over the bins, by threads: a number takes two integrals over the spectrum.
void add_fits(Table& table, const std::vector<double>& edges, const cosmology::MassFunction& theory)
{
    const auto& fits = cosmology::multiplicities().entries();
    std::vector<std::vector<double>> mean(fits.size(), std::vector<double>(table.rows));
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < table.rows; ++i) {
        const double low = std::log(edges[i]), high = std::log(edges[i + 1]);
        for (const auto& [at, weight] : gauss_legendre) {
            const std::vector<double> numbers = theory.by_all_fits(std::exp(low + at * (high - low)));
            for (std::size_t fit = 0; fit < numbers.size(); ++fit) mean[fit][i] += weight * numbers[fit];
        }
    }
    std::size_t column = 0;
    for (const cosmology::Multiplicity& fit : fits)
        table.columns.push_back({"Fit_" + std::string(fit.name), std::string(fit.documentation) + ".",
                                 per_volume, 1, std::move(mean[column++])});
}

std::string text_of_unit(const io::ColumnUnits& units, const Column& column)
{
    const std::string unit = units.name_of(column.dimension);
    return unit.empty() ? "1" : unit;
}

}  // namespace

Table power_table(const PowerSpectrum& spectrum, double length, const LinearTheory* theory, double a)
{
    const std::size_t rows = spectrum.k.size();
    const double volume = length * length * length;
    std::vector<double> k, power, linear;
    for (std::size_t i = 0; i < rows; ++i) {
        k.push_back(spectrum.k[i] / length);
        power.push_back(spectrum.power[i] * volume);
        if (theory) linear.push_back(theory->power(k.back(), a));
    }
    Table table{rows, {}};
    const auto add = [&table](const char* name, const char* meaning, Dimension dimension, auto values) {
        table.columns.push_back({name, meaning, dimension, 1, std::move(values)});
    };
    add("WaveNumber", "Mean |k| of the modes.", {-1, 0, 0}, std::move(k));
    add("Modes", "Number of modes.", {}, spectrum.modes);
    add("Power", "P(k) = V <|delta_k|^2>; shot noise is not subtracted.", {3, 0, 0}, std::move(power));
    add("ShotNoise", "V sum m^2 / (sum m)^2.", {3, 0, 0},
        std::vector<double>(rows, spectrum.shot_noise * volume));
    if (theory) add("LinearPower", "Linear theory, D^2 P.", {3, 0, 0}, std::move(linear));
    return table;
}

Table mass_function_table(const Table& groups, const CatalogueScales& scales, unsigned bins,
                          const LinearTheory* theory)
{
    AUREOLE_EXPECT(scales.volume > 0 && std::isfinite(scales.volume), "a volume of {}, expected one above 0",
                   scales.volume);
    const std::vector<MassesOfHalos> all = all_masses(groups, scales);
    const auto [first, last] = occupied_bins(all, bins);
    const double width = std::numbers::ln10 / bins;
    std::vector<double> edges;
    for (int j = first; j <= last; ++j) edges.push_back(std::pow(10, static_cast<double>(j) / bins));
    Table table{edges.size(), {}};
    std::vector<double> upper;
    for (int j = first; j <= last; ++j) upper.push_back(std::pow(10, static_cast<double>(j + 1) / bins));
    table.columns.push_back({"MassLower", "Lower edge of the bin.", {0, 1, 0}, 1, edges});
    table.columns.push_back({"MassUpper", "Upper edge of the bin.", {0, 1, 0}, 1, upper});
    for (const MassesOfHalos& masses : all) add_counts(table, masses, first, bins, scales.volume * width);
    if (!upper.empty()) edges.push_back(upper.back());
    if (theory) add_fits(table, edges, theory->mass_function(scales.a));
    return table;
}

void write_statistics(const std::filesystem::path& file, const Table& table, const io::ColumnUnits& units,
                      const io::Attributes& attributes, const io::Provenance& provenance)
{
    if (file.extension() == ".csv") return io::write_table_csv(file, table, units, {}, provenance);
    io::write_hdf5(file, [&](io::Hdf5File& out) {
        out.write_attributes("/", attributes);
        for (const Column& column : table.columns) {
            const std::string path = "/" + column.name;
            std::visit(
                [&]<class T>(const std::vector<T>& values) {
                    const std::size_t width = column.width > 1 ? column.width : 0;
                    out.create_dataset(path, io::number_type<T>(), table.rows, width)
                        .write_rows(0, std::span<const T>(values));
                },
                column.values);
            out.write_attribute(path, "Unit", text_of_unit(units, column));
            out.write_attribute(path, "Description", column.description);
        }
        io::write_provenance(out, provenance);
    });
}

}  // namespace aureole::run
