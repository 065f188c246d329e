#include "sim/io/snapshots/gadget_metadata.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

namespace {

constexpr std::array<const char*, n_particle_types> gadget2_names{"Gas",   "Halo",  "Disk",
                                                                  "Bulge", "Stars", "Bndry"};

/// A finite number above 0 among the attributes of `group`.
std::optional<double> length_in(const Hdf5File& file, const char* group, const std::string& name)
{
    if (!file.has_attribute(group, name) || file.attribute_is_text(group, name)) return {};
    const std::vector<double> values = file.numbers(group, name);
    if (values.size() != 1 || !(values[0] > 0) || !std::isfinite(values[0])) return {};
    return values[0];
}

/// The names of one length and of its limit, in one code.
struct SofteningNames {
    std::string comoving, most_physical;
};

/// The names that may hold the length of `type` in `group`, in the order in which they are tried.
std::vector<SofteningNames> names_of(const Hdf5File& file, const char* group, std::size_t type)
{
    std::vector<SofteningNames> names;
    const auto add_numbered = [&](const char* kind, double number) {
        names.push_back({fmt::format("SofteningComoving{}{}", kind, number),
                         fmt::format("SofteningMaxPhys{}{}", kind, number)});
    };
    for (const auto& [key, kind] : {std::pair{"SofteningClassOfPartType", "Class"},  // GADGET-4
                                    {"SofteningTypeOfPartType", "Type"}}) {          // AREPO
        const std::string name = fmt::format("{}{}", key, type);
        if (!file.has_attribute(group, name) || file.attribute_is_text(group, name)) continue;
        const std::vector<double> numbers = file.numbers(group, name);
        if (numbers.size() == 1) add_numbered(kind, numbers[0]);
    }
    names.push_back({fmt::format("Softening_Type{}", type),  // GIZMO
                     fmt::format("Softening_Type{}_MaxPhysLimit", type)});
    names.push_back({fmt::format("Softening{}", gadget2_names[type]),
                     fmt::format("Softening{}MaxPhys", gadget2_names[type])});
    return names;
}

}  // namespace

std::optional<StatedSoftening> gadget_softening(const Hdf5File& file, const SnapshotHeader& header)
{
    StatedSoftening stated;
    std::vector<std::string> sources;
    for (std::size_t type = 0; type < n_particle_types; ++type)
        for (const char* group : {"/Parameters", "/RuntimePars", "/Header"})
            for (const SofteningNames& names : names_of(file, group, type)) {
                const auto length = length_in(file, group, names.comoving);
                if (!length || stated.length[type] > 0) continue;
                stated.length[type] = *length;
                const auto most = length_in(file, group, names.most_physical);
                if (header.comoving && most && header.time > 0)
                    stated.length[type] = std::min(*length, *most / header.time);
                const std::string source = fmt::format("{}/{}", group, names.comoving);
                if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
            }
    if (sources.empty()) return {};
    stated.source = fmt::format("{}{}", sources.front(), sources.size() > 1 ? " and others" : "");
    return stated;
}

namespace {

using Names = std::initializer_list<const char*>;

/// The first attribute of those names on those objects that is a number.
std::optional<double> number(const Hdf5File& file, Names objects, Names attributes)
{
    for (const char* object : objects)
        for (const char* attribute : attributes)
            if (file.has_attribute(object, attribute) && !file.attribute_is_text(object, attribute))
                return file.number(object, attribute);
    return {};
}

bool swift(const Hdf5File& file) { return file.has_attribute("/Units", "Unit length in cgs (U_L)"); }

std::string format_of(const Hdf5File& file)
{
    const char* const writer = file.has_attribute("/Provenance", "FileLengthPerInternal") ? " (Aureole)" : "";
    return fmt::format("{} HDF5{}", swift(file) ? "SWIFT" : "Gadget", writer);
}

std::optional<UnitSystem> units_of(const Hdf5File& file, std::vector<std::string>& notes)
{
    const Names places = {"/Units", "/Parameters", "/Header"};
    auto length = number(file, places, {"UnitLength_in_cm", "UnitLength_In_CGS"});
    auto mass = number(file, places, {"UnitMass_in_g", "UnitMass_In_CGS"});
    auto velocity = number(file, places, {"UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS"});
    if (swift(file)) {
        length = file.number("/Units", "Unit length in cgs (U_L)");
        mass = number(file, {"/Units"}, {"Unit mass in cgs (U_M)"});
        const auto time = number(file, {"/Units"}, {"Unit time in cgs (U_t)"});
        if (time) velocity = *length / *time;
    }
    if (!length && !mass && !velocity) return {};
    if (const UnitSystem units{length.value_or(0), mass.value_or(0), velocity.value_or(0)}; units.usable())
        return units;
    notes.push_back("The units in the file are incomplete or not positive and were not used.");
    return {};
}

/// The scales of a file of a run with `units: nbody`; nothing in other files, and where they are no scales.
std::optional<UnitScales> nbody_scales_of(const Hdf5File& file)
{
    constexpr const char* place = "/Provenance";
    if (!file.has_attribute(place, "Units") || !file.attribute_is_text(place, "Units") ||
        file.text(place, "Units") != nbody_units_text)
        return {};
    const auto scale = [&](const char* name) { return number(file, {place}, {name}).value_or(0); };
    UnitScales scales{.length = scale("FileLengthPerInternal"),
                      .mass = scale("FileMassPerInternal"),
                      .velocity = scale("FileVelocityPerInternal"),
                      .time = scale("FileTimePerInternal")};
    scales.potential = scales.velocity * scales.velocity;
    for (const double one : {scales.length, scales.mass, scales.velocity, scales.time, scales.potential})
        if (!(one > 0 && std::isfinite(one) && std::isfinite(1 / one))) return {};
    return scales;
}

/// BoxSize, for which some codes write three sides.
double box_size(const Hdf5File& file)
{
    if (!file.has_attribute("/Header", "BoxSize")) return 0;
    const std::vector<double> sides = file.numbers("/Header", "BoxSize");
    const std::string what = fmt::format("{}: attribute BoxSize of /Header", file.name());
    if (sides.empty() || sides.size() > 3)
        throw IoError(
            fmt::format("{} holds {} numbers, expected the side of the box, or three", what, sides.size()));
    for (double side : sides)
        if (side < 0 || std::abs(side - sides[0]) > 1e-12 * sides[0])
            throw IoError(fmt::format("{} is {}, expected a cube", what, list_text(sides, " x ")));
    return sides[0];
}

bool comoving(const Hdf5File& file, const SnapshotHeader& header)
{
    if (const auto on = number(file, {"/Cosmology"}, {"Cosmological run"})) return *on == 1;
    if (const auto on = number(file, {"/Parameters", "/Header"}, {"ComovingIntegrationOn"})) return *on == 1;
    return header.redshift > 0 || header.omega0 > 0;
}

/// Powers of a and h that this file's datasets state, where they do.
void read_exponents(const Hdf5File& file, SnapshotHeader& header)
{
    for (int type = 0; type < n_particle_types; ++type) {
        const std::string group = fmt::format("/PartType{}", type);
        const auto h = number(file, {(group + "/Coordinates").c_str()},
                              {"h-scale-exponent", "h_scaling", "h-scale exponent"});
        const auto a = number(file, {(group + "/Velocities").c_str()},
                              {"aexp-scale-exponent", "a_scaling", "a-scale exponent"});
        if (h) header.h_exponent = *h;
        if (a) header.velocity_a_exponent = *a;
        if (h || a) return;
    }
}

SnapshotHeader header_of(const Hdf5File& file, std::vector<std::string>& notes)
{
    SnapshotHeader header;
    const Names places = {"/Header", "/Parameters", "/Cosmology"};
    const auto time = number(file, {"/Header"}, {"Time"}),
               redshift = number(file, {"/Header", "/Cosmology"}, {"Redshift"});
    header.time = time.value_or(0);
    header.redshift = redshift.value_or(0);
    header.box_size = box_size(file);
    header.omega0 = number(file, places, {"Omega0", "Omega_Matter", "Omega_m"}).value_or(0);
    header.omega_lambda = number(file, places, {"OmegaLambda", "Omega_Lambda", "Omega_lambda"}).value_or(0);
    header.omega_baryon = number(file, places, {"OmegaBaryon", "Omega_Baryon", "Omega_b"}).value_or(0);
    header.hubble = number(file, places, {"HubbleParam", "h"}).value_or(0);
    header.units = units_of(file, notes);
    header.nbody_scales = nbody_scales_of(file);
    header.comoving = comoving(file, header);
    if (header.hubble <= 0) {
        header.hubble = 1;
        if (header.comoving) notes.push_back("The file does not say the Hubble parameter; 1 was taken.");
    }
    if (!header.comoving) return header;
    if (swift(file)) header.h_exponent = header.velocity_a_exponent = 0;
    const auto a = number(file, {"/Header", "/Cosmology"}, {"Scale-factor", "ExpansionFactor"});
    complete_scale_factor(header, a ? a : time, redshift, file.name(), notes);
    read_exponents(file, header);
    return header;
}

/// Counts per type; 32-bit signed ones that went negative are taken as the unsigned numbers they were.
std::vector<std::uint64_t> counts(const Hdf5File& file, const char* attribute)
{
    std::vector<std::uint64_t> result;
    if (!file.has_attribute("/Header", attribute)) return result;
    const bool narrow = file.attribute_layout("/Header", attribute).bytes <= 4;
    for (std::int64_t n : file.integers("/Header", attribute)) {
        if (n < 0 && !narrow)
            throw IoError(fmt::format("{}: attribute {} of /Header holds {}, expected particle numbers",
                                      file.name(), attribute, n));
        result.push_back(n < 0 ? static_cast<std::uint32_t>(n) : static_cast<std::uint64_t>(n));
    }
    return result;
}

}  // namespace

GadgetMetadata read_gadget_metadata(const Hdf5File& file)
{
    if (!file.has_group("/Header"))
        throw IoError(
            fmt::format("{}: HDF5 without /Header, not a snapshot of the Gadget kind", file.name()));
    GadgetMetadata result;
    result.format = format_of(file);
    result.header = header_of(file, result.notes);
    result.softening = gadget_softening(file, result.header);
    if (file.has_attribute("/Header", "MassTable")) result.mass_table = file.numbers("/Header", "MassTable");
    result.in_this_file = counts(file, "NumPart_ThisFile");
    result.in_total = counts(file, "NumPart_Total");
    const std::vector<std::uint64_t> high = counts(file, "NumPart_Total_HighWord");
    for (std::size_t type = 0; type < std::min(high.size(), result.in_total.size()); ++type)
        result.in_total[type] += high[type] << 32;
    const double files = number(file, {"/Header"}, {"NumFilesPerSnapshot", "NumFiles"}).value_or(1);
    constexpr double most_files = 1e6;
    if (files < 0 || files > most_files || files != std::floor(files))
        throw IoError(
            fmt::format("{}: attribute NumFilesPerSnapshot of /Header is {}, expected a number of "
                        "files",
                        file.name(), files));
    result.n_files = files == 0 ? 1 : static_cast<std::uint64_t>(files);
    return result;
}

}  // namespace aureole::io
