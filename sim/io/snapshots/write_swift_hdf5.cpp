// HDF5 in the layout of SWIFT's snapshots (Schaller et al. 2024): seven types, arrays of one value, units
// under names of their own, no powers of h, peculiar velocities.
#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"

namespace aureole::io {
namespace {

constexpr std::size_t swift_types = 7;  ///< the six and neutrinos

template <class T>
std::array<T, 1> one(T value)
{
    return {value};
}

template <class T>
std::array<T, swift_types> widened(const std::array<T, n_particle_types>& values)
{
    std::array<T, swift_types> all{};
    std::ranges::copy(values, all.begin());
    return all;
}

double scale_factor(const SnapshotHeader& header) { return header.comoving ? header.time : 1; }

/// SWIFT's Time is the age of the universe in comoving files.
double internal_time(const SnapshotHeader& header)
{
    const auto gyr = header.comoving ? time_gyr(header) : std::nullopt;
    return gyr ? *gyr * 1e3 * seconds_per_myr / header.units->time_s() : header.time;
}

void write_swift_header(const Hdf5Particles& w)
{
    Hdf5File& file = w.file;
    const SnapshotHeader& header = w.header;
    std::array<std::uint32_t, n_particle_types> counts{};
    std::ranges::transform(w.counts, counts.begin(), [](auto n) { return static_cast<std::uint32_t>(n); });
    const std::string group = "/Header";
    file.create_group(group);
    file.write_attribute(group, "Code", "SWIFT");  // by which readers know the layout
    file.write_attribute(group, "OutputType", "FullVolume");
    file.write_attribute(group, "Dimension", one(std::int32_t{3}));
    file.write_attribute(group, "BoxSize", std::array{header.box_size, header.box_size, header.box_size});
    file.write_attribute(group, "NumPart_ThisFile", widened(w.counts));
    file.write_attribute(group, "NumPart_Total", widened(counts));
    file.write_attribute(group, "NumPart_Total_HighWord", std::array<std::uint32_t, swift_types>{});
    file.write_attribute(group, "NumPartTypes", one(static_cast<std::int32_t>(swift_types)));
    file.write_attribute(group, "MassTable", widened(mass_table(w)));
    file.write_attribute(group, "Time", one(internal_time(header)));
    file.write_attribute(group, "Redshift", one(header.redshift));
    file.write_attribute(group, "Scale-factor", one(scale_factor(header)));
    file.write_attribute(group, "NumFilesPerSnapshot", one(std::int32_t{1}));
    file.write_attribute(group, "ThisFile", one(std::int32_t{0}));
    file.write_attribute(group, "Virtual", one(std::int32_t{0}));
    file.write_attribute(group, "Flag_Entropy_ICs", std::array<std::uint32_t, swift_types>{});
}

void write_cosmology(Hdf5File& file, const SnapshotHeader& header)
{
    const std::string group = "/Cosmology";
    file.create_group(group);
    const auto add = [&](const char* name, double value) { file.write_attribute(group, name, one(value)); };
    file.write_attribute(group, "Cosmological run", one(std::int32_t{header.comoving}));
    add("Scale-factor", scale_factor(header));
    add("Redshift", header.redshift);
    add("h", header.hubble);
    add("Omega_m", header.omega0);
    add("Omega_lambda", header.omega_lambda);
    add("Omega_b", header.omega_baryon);
    add("Omega_k", header.comoving ? 1 - header.omega0 - header.omega_lambda : 0);
    add("Omega_r", 0);
    add("w_0", -1);
    add("w_a", 0);
}

void write_swift_units(Hdf5File& file, const UnitSystem& units)
{
    for (const char* group : {"/Units", "/InternalCodeUnits"}) {
        file.create_group(group);
        file.write_attribute(group, "Unit mass in cgs (U_M)", one(units.mass_g));
        file.write_attribute(group, "Unit length in cgs (U_L)", one(units.length_cm));
        file.write_attribute(group, "Unit time in cgs (U_t)", one(units.time_s()));
        file.write_attribute(group, "Unit current in cgs (U_I)", one(1.0));
        file.write_attribute(group, "Unit temperature in cgs (U_T)", one(1.0));
    }
}

void describe_as_swift(Hdf5File& file, const std::string& dataset, const char* description,
                       const Dimension& dimension, CosmologicalExponents exponents,
                       const SnapshotHeader& header)
{
    const double to_cgs = cgs_factor(dimension, *header.units);
    const double a = scale_factor(header);
    const auto add = [&](const char* name, double value) { file.write_attribute(dataset, name, one(value)); };
    add("U_L exponent", dimension.length + dimension.velocity);
    add("U_M exponent", dimension.mass);
    add("U_t exponent", -dimension.velocity);
    add("U_I exponent", 0);
    add("U_T exponent", 0);
    add("a-scale exponent", exponents.a);
    add("h-scale exponent", 0);
    add("Conversion factor to CGS (not including cosmological corrections)", to_cgs);
    add("Conversion factor to physical CGS (including cosmological corrections)",
        to_cgs * std::pow(a, exponents.a));
    file.write_attribute(dataset, "Description", description);
}

}  // namespace

void write_swift_snapshot(const std::filesystem::path& file, ConstParticlesView host,
                          const SnapshotContent& given)
{
    expect_complete(file, host, given);
    const SnapshotContent content = with_exponents(given, 0, 0);
    write_hdf5(file, [&](Hdf5File& out) {
        if (content.compress) out.compress();
        Hdf5Particles w{out, host, content, completed(content.header), count_by_type(host), {}, {}};
        w.describe = [&](const std::string& dataset, const char* description, const Dimension& dimension,
                         CosmologicalExponents exponents) {
            describe_as_swift(out, dataset, description, dimension, exponents, w.header);
        };
        write_swift_header(w);
        write_cosmology(out, w.header);
        write_swift_units(out, *w.header.units);
        out.create_group("/Parameters");
        write_softening(w);
        write_provenance(out, content.provenance, content.scales);
        write_particle_types(w);
    });
}

}  // namespace aureole::io
