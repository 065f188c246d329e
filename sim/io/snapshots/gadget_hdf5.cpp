// Two passes: metadata and shapes of every part first, so that all counts are checked before anything is
// allocated; then the numbers, in blocks of rows, straight into the particle arrays.
#include "sim/io/snapshots/gadget_hdf5.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_metadata.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"
#include "sim/io/snapshots/mean_density.hpp"

namespace aureole::io {

namespace fs = std::filesystem;
namespace {

std::string group_of(std::size_t type) { return fmt::format("/PartType{}", type); }

bool has_signature(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return false;  // opening a pipe would wait
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::ifstream in(file, std::ios::binary);
    std::array<char, signature.size()> start{};
    in.read(start.data(), start.size());
    return in && std::string_view(start.data(), start.size()) == signature;
}

/// Names of all parts of the set that `file` (BASE.K.hdf5) belongs to.
std::vector<fs::path> part_names(const fs::path& file, std::uint64_t n_files)
{
    if (n_files == 1) return {file};
    const std::string extension = file.extension().string(), stem = file.stem().string();
    const std::size_t dot = stem.rfind('.');
    std::uint64_t number = 0;
    const char* end = stem.data() + stem.size();
    if (dot == std::string::npos || std::from_chars(stem.data() + dot + 1, end, number).ptr != end)
        throw IoError(
            fmt::format("{}: one of {} files by its NumFilesPerSnapshot, but its name does not end in "
                        ".K{}",
                        file.string(), n_files, extension));
    std::vector<fs::path> names;
    for (std::uint64_t k = 0; k < n_files; ++k) {
        names.push_back(file.parent_path() / fmt::format("{}.{}{}", stem.substr(0, dot), k, extension));
        if (!fs::exists(names.back()))
            throw IoError(
                fmt::format("{}: missing, but the snapshot has {} parts by the NumFilesPerSnapshot "
                            "of {}",
                            names.back().string(), n_files, file.string()));
    }
    return names;
}

struct Part {
    fs::path name;
    GadgetMetadata metadata;
    std::array<std::uint64_t, n_particle_types> rows{};
};

/// Rows of every type by the datasets, checked against what NumPart_ThisFile promises. A note tells of types
/// that Particles does not have.
void count_rows(const Hdf5File& file, Part& part)
{
    const auto& promised = part.metadata.in_this_file;
    constexpr std::size_t most_types = 10;
    for (std::size_t type = 0; type < most_types; ++type) {
        const std::string path = group_of(type) + "/Coordinates";
        std::uint64_t rows = 0;
        if (file.has_dataset(path)) {
            const Hdf5Dataset dataset = file.dataset(path);
            rows = dataset.rows();
            if (rows > 0 && dataset.width() != 3)
                throw IoError(
                    fmt::format("{} has {} values per row, expected 3", dataset.label(), dataset.width()));
        }
        const std::uint64_t expected = type < promised.size() ? promised[type] : 0;
        if (!promised.empty() && rows != expected)
            throw IoError(
                fmt::format("{}: NumPart_ThisFile promises {} particles of type {}, but {} holds {}",
                            file.name(), expected, type, path, rows));
        if (type < n_particle_types)
            part.rows[type] = rows;
        else if (rows > 0)
            part.metadata.notes.push_back(
                fmt::format("{} ({} particles) has no place among the six types and was left out.",
                            group_of(type), rows));
    }
}

/// Writers of single files often leave NumPart_Total at 0; then the counts of the file are used.
void forget_unset_totals(Part& part)
{
    std::vector<std::uint64_t>& totals = part.metadata.in_total;
    const bool unset = !totals.empty() && std::ranges::all_of(totals, [](std::uint64_t n) { return n == 0; });
    if (!unset || part.metadata.n_files != 1 || std::ranges::count(part.rows, 0u) == n_particle_types) return;
    totals.clear();
    part.metadata.notes.push_back("NumPart_Total is 0 for all types; the file's own counts were used.");
}

Part read_part(const fs::path& name)
{
    Part part;
    part.name = name;
    const Hdf5File file = Hdf5File::open(name);
    part.metadata = read_gadget_metadata(file);
    if (part.metadata.in_this_file.empty() && file.has_group("/Group"))
        throw IoError(fmt::format("{}: a halo catalogue, expected a snapshot", name.string()));
    count_rows(file, part);
    forget_unset_totals(part);
    if (part.metadata.in_this_file.empty() && std::ranges::count(part.rows, 0u) == n_particle_types)
        throw IoError(fmt::format("{}: neither NumPart_ThisFile nor /PartTypeK/Coordinates, not a snapshot",
                                  name.string()));
    return part;
}

/// Throws unless `part` can belong to the snapshot that `first` begins.
void expect_same_snapshot(const Part& first, const Part& part)
{
    const auto refuse_if = [&](bool differs, const char* what) {
        if (differs)
            throw IoError(fmt::format("{}: {} from those of {}: parts of different snapshots",
                                      part.name.string(), what, first.name.string()));
    };
    const GadgetMetadata &a = first.metadata, &b = part.metadata;
    refuse_if(a.n_files != b.n_files || a.in_total != b.in_total,
              "NumFilesPerSnapshot or NumPart_Total differ");
    refuse_if(a.header.time != b.header.time || a.header.redshift != b.header.redshift ||
                  a.header.box_size != b.header.box_size || a.mass_table != b.mass_table,
              "Time, Redshift, BoxSize or MassTable differ");
}

/// The parts must agree on how many they are and add up to the NumPart_Total of the first.
void check_totals(const std::vector<Part>& parts)
{
    const GadgetMetadata& first = parts.front().metadata;
    std::array<std::uint64_t, n_particle_types> sum{};
    for (const Part& part : parts) {
        expect_same_snapshot(parts.front(), part);
        for (std::size_t type = 0; type < sum.size(); ++type) sum[type] += part.rows[type];
    }
    for (std::size_t type = 0; type < std::min(sum.size(), first.in_total.size()); ++type)
        if (sum[type] != first.in_total[type])
            throw IoError(fmt::format(
                "{}: NumPart_Total promises {} particles of type {}, but the {} file(s) "
                "hold {}",
                parts.front().name.string(), first.in_total[type], type, parts.size(), sum[type]));
    const std::uint64_t all = std::reduce(sum.begin(), sum.end());
    if (all > max_particles)
        throw IoError(fmt::format("{}: {} particles are more than one set holds ({})",
                                  parts.front().name.string(), all, max_particles));
}

/// The particles of one type in one part, which go to `first` and following.
struct Piece {
    const Hdf5File& file;
    std::size_t type, first, rows;

    std::string path(const char* field) const { return group_of(type) + "/" + field; }

    Hdf5Dataset dataset(const char* field, std::uint64_t width) const
    {
        Hdf5Dataset result = file.dataset(path(field));
        if (result.rows() != rows || result.width() != width)
            throw IoError(fmt::format("{} is [{}, {}], expected [{}, {}] as /PartType{}/Coordinates has",
                                      result.label(), result.rows(), result.width(), rows, width, type));
        return result;
    }
};

/// Returns whether the file has ids; else the particles keep the numbers that new ones have.
bool read_ids(const Piece& piece, std::span<std::uint64_t> ids)
{
    if (!piece.file.has_dataset(piece.path("ParticleIDs"))) return false;
    read_ids(piece.dataset("ParticleIDs", 1), ids);
    return true;
}

[[noreturn]] void refuse(const Hdf5Dataset& dataset, std::size_t row, std::uint64_t id, const char* name,
                         double value, const char* expected)
{
    throw IoError(fmt::format("{}: particle {} (id {}) has {} = {}, expected {}", dataset.label(), row, id,
                              name, value, expected));
}

void read_vectors(const Piece& piece, const char* field, Vec3Buffer& to, std::span<const std::uint64_t> ids)
{
    const Hdf5Dataset dataset = piece.dataset(field, 3);
    const std::array<std::span<double>, 3> arrays{to.x.host(), to.y.host(), to.z.host()};
    constexpr std::array names{"x component", "y component", "z component"};
    for_each_row<double>(dataset, [&](std::size_t row, const double* value) {
        for (std::size_t k = 0; k < 3; ++k) {
            if (!std::isfinite(value[k]))
                refuse(dataset, row, ids[row], names[k], value[k], "a finite number");
            arrays[k][piece.first + row] = value[k];
        }
    });
}

/// A sentence or a field is listed once, however many parts bring it.
void add_once(std::vector<std::string>& list, const std::string& entry)
{
    if (std::ranges::find(list, entry) == list.end()) list.push_back(entry);
}

/// The dataset that holds the masses, nullptr without one; SWIFT gives black holes several.
const char* mass_field(const Piece& piece)
{
    for (const char* field : {"Masses", "DynamicalMasses"})
        if (piece.file.has_dataset(piece.path(field))) return field;
    return nullptr;
}

double mass_in_table(const GadgetMetadata& metadata, std::size_t type)
{
    const double mass = type < metadata.mass_table.size() ? metadata.mass_table[type] : 0;
    return mass > 0 ? mass : 0;
}

/// From the dataset, or else from MassTable (`of_table`, 0 where it has none); a note when they contradict.
/// Masses stay 0 where neither has any: they follow from Omega0 later.
void read_masses(const Piece& piece, double of_table, Snapshot& snapshot, std::span<const std::uint64_t> ids)
{
    const std::span<double> masses = snapshot.particles.mass.host().subspan(piece.first, piece.rows);
    const char* const field = mass_field(piece);
    if (!field) {
        std::ranges::fill(masses, of_table);
        return;
    }
    bool contradicts = false;
    const Hdf5Dataset dataset = piece.dataset(field, 1);
    for_each_row<double>(dataset, [&](std::size_t row, const double* mass) {
        if (!std::isfinite(*mass) || *mass < 0)
            refuse(dataset, row, ids[row], "mass", *mass, "a finite number, at least 0");
        masses[row] = *mass;
        contradicts |= of_table > 0 && std::abs(*mass - of_table) > 1e-6 * of_table;
    });
    if (contradicts)
        add_once(snapshot.notes,
                 fmt::format("{} differ from MassTable's {} and were used.", piece.path(field), of_table));
}

void read_components(const Piece& piece, Particles& p)
{
    if (!piece.file.has_dataset(piece.path("ComponentIDs"))) return;
    if (p.component.size() == 0) {
        p.component = Buffer<Component>(Backend::cpu, p.size());
        std::ranges::fill(p.component.host(), Component{0});
    }
    piece.dataset("ComponentIDs", 1).read_rows(0, p.component.host().subspan(piece.first, piece.rows));
}

/// Digits that were dropped when the file was written cannot be seen in the numbers.
void note_rounding(const Piece& piece, std::vector<std::string>& notes)
{
    for (const char* field : {"Coordinates", "Velocities", "Masses", "Potential"}) {
        const std::string path = piece.path(field);
        if (!piece.file.has_dataset(path) || !piece.file.has_attribute(path, mantissa_bits_attribute))
            continue;
        const double bits = piece.file.number(path, mantissa_bits_attribute);
        add_once(notes, fmt::format("{} was rounded to {} digits of the binary fraction when it was written: "
                                    "relative errors up to {:.1g}.",
                                    path, bits, std::exp2(-bits - 1)));
    }
}

void list_dropped(const Piece& piece, std::vector<std::string>& dropped)
{
    constexpr std::array carried{"Coordinates", "Velocities", "ParticleIDs", "ComponentIDs"};
    const char* const masses = mass_field(piece);
    for (const std::string& field : piece.file.members(group_of(piece.type)))
        if (std::ranges::find(carried, field) == carried.end() && !(masses && field == masses))
            add_once(dropped, piece.path(field.c_str()));
}

void read_piece(const Piece& piece, const GadgetMetadata& metadata, Snapshot& snapshot)
{
    Particles& p = snapshot.particles;
    const auto here = [&piece](auto values) { return values.subspan(piece.first, piece.rows); };
    const auto ids = here(p.id.host());
    if (!read_ids(piece, ids))
        add_once(snapshot.notes,
                 fmt::format("{} has no ParticleIDs; its particles were numbered in file order.",
                             group_of(piece.type)));
    std::ranges::fill(here(p.type.host()), static_cast<ParticleType>(piece.type));
    if (p.position.x.size() > 0) read_vectors(piece, "Coordinates", p.position, ids);
    if (piece.file.has_dataset(piece.path("Velocities"))) {
        if (p.velocity.x.size() > 0) read_vectors(piece, "Velocities", p.velocity, ids);
    } else {
        snapshot.has_velocities = false;
        add_once(snapshot.notes,
                 fmt::format("{} has no Velocities; its particles are at rest.", group_of(piece.type)));
    }
    read_masses(piece, mass_in_table(metadata, piece.type), snapshot, ids);
    read_components(piece, p);
    note_rounding(piece, snapshot.notes);
    list_dropped(piece, snapshot.dropped_fields);
}

/// Throws when two parts begin with the same particle: one file stands in another's place.
class RepeatedParts {
public:
    void expect_new(const Part& part, const Piece& piece, const Particles& p)
    {
        if (p.position.x.size() == 0) return;
        const Vec3Buffer& x = p.position;
        const std::size_t k = piece.first;
        const bool has_ids = piece.file.has_dataset(piece.path("ParticleIDs"));
        const auto [found, fresh] = seen_.try_emplace(
            {piece.type, has_ids ? p.id.host()[k] : 0, x.x.host()[k], x.y.host()[k], x.z.host()[k]},
            part.name);
        if (!fresh && found->second != part.name)
            throw IoError(
                fmt::format("{}: repeats the particles of {}", part.name.string(), found->second.string()));
    }

private:
    std::map<std::tuple<std::size_t, std::uint64_t, double, double, double>, fs::path> seen_;
};

}  // namespace

std::optional<fs::path> hdf5_file_of(const fs::path& name)
{
    std::error_code ignored;
    if (fs::exists(name, ignored)) return has_signature(name) ? std::optional(name) : std::nullopt;
    const auto with = [](fs::path base, const std::string& ending) { return base += ending; };
    std::vector<fs::path> candidates{with(name, ".0.hdf5"), with(name, ".hdf5"), with(name, ".0.h5")};
    const std::string extension = name.extension().string();
    if (extension == ".hdf5" || extension == ".h5")
        candidates.push_back(with(fs::path(name).replace_extension(), ".0" + extension));
    for (const fs::path& candidate : candidates)
        if (has_signature(candidate)) return candidate;
    return {};
}

bool is_hdf5(const fs::path& name) { return hdf5_file_of(name).has_value(); }

Snapshot read_gadget_hdf5(const fs::path& name, const SnapshotArrays& arrays)
{
    const auto found = hdf5_file_of(name);
    if (!found)
        throw IoError(fmt::format("{}: not an HDF5 file and not the base name of one", name.string()));
    std::vector<Part> parts{read_part(*found)};
    const std::vector<fs::path> names = part_names(*found, parts[0].metadata.n_files);
    if (names.size() > 1) {
        parts.clear();
        std::ranges::transform(names, std::back_inserter(parts), read_part);
    }
    check_totals(parts);

    Snapshot snapshot;
    // The header is that of a part with particles, because it includes attributes of datasets.
    const auto holds_particles = [](const Part& part) {
        return std::ranges::any_of(part.rows, [](std::uint64_t n) { return n > 0; });
    };
    const auto known = std::ranges::find_if(parts, holds_particles);
    snapshot.header = (known == parts.end() ? parts.front() : *known).metadata.header;
    snapshot.format = parts[0].metadata.format;
    snapshot.softening = parts[0].metadata.softening;
    if (parts.size() > 1) snapshot.format += fmt::format(", {} files", parts.size());
    std::array<std::size_t, n_particle_types> next{};
    std::size_t total = 0;
    for (std::size_t type = 0; type < n_particle_types; ++type) {
        next[type] = total;
        for (const Part& part : parts) total += part.rows[type];
    }
    snapshot.particles = new_particles(total, arrays);
    RepeatedParts repeated;
    std::array<bool, n_particle_types> without_mass{};
    for (const Part& part : parts) {
        for (const std::string& note : part.metadata.notes) add_once(snapshot.notes, note);
        const Hdf5File file = Hdf5File::open(part.name);
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            if (part.rows[type] == 0) continue;
            const Piece piece{file, type, next[type], part.rows[type]};
            read_piece(piece, part.metadata, snapshot);
            without_mass[type] |= !mass_field(piece) && mass_in_table(part.metadata, type) == 0;
            repeated.expect_new(part, piece, snapshot.particles);
            next[type] += part.rows[type];
        }
    }
    complete_masses(snapshot, without_mass, found->string());
    return snapshot;
}

Provenance read_provenance(const fs::path& name)
{
    const auto found = hdf5_file_of(name);
    if (!found) throw IoError(fmt::format("{}: not an HDF5 file", name.string()));
    return provenance_in(Hdf5File::open(*found));
}

}  // namespace aureole::io
