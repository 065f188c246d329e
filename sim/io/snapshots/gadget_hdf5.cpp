// Two passes: metadata and shapes of every part first, so that all counts are checked before anything is
// allocated; then the numbers of the rows that are asked for (gadget_pieces.cpp).
#include "sim/io/snapshots/gadget_hdf5.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/mean_density.hpp"

namespace aureole::io {

namespace fs = std::filesystem;
namespace {

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

using Part = GadgetPart;

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
    for (std::size_t type = 0; type < n_particle_types; ++type)
        if (part.rows[type] > 0) part.pieces[type] = described_piece(file, type);
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
}

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

GadgetHdf5::GadgetHdf5(const fs::path& name)
{
    const auto found = hdf5_file_of(name);
    if (!found)
        throw IoError(fmt::format("{}: not an HDF5 file and not the base name of one", name.string()));
    file_ = *found;
    parts_.push_back(read_part(file_));
    const std::vector<fs::path> names = part_names(file_, parts_[0].metadata.n_files);
    if (names.size() > 1) {
        parts_.clear();
        std::ranges::transform(names, std::back_inserter(parts_), read_part);
    }
    check_totals(parts_);
    for (const Part& part : parts_)
        for (std::size_t type = 0; type < n_particle_types; ++type) counts_[type] += part.rows[type];
}

std::uint64_t GadgetHdf5::size() const { return std::reduce(counts_.begin(), counts_.end()); }

std::uint64_t GadgetHdf5::bytes_of_files() const
{
    std::uint64_t bytes = 0;
    for (const Part& part : parts_) bytes += fs::file_size(part.name);
    return bytes;
}

RowFindings GadgetHdf5::read(Snapshot& snapshot, const SnapshotArrays& arrays, std::uint64_t begin,
                             std::uint64_t end) const
{
    if (end - begin > max_particles)
        throw IoError(fmt::format("{}: {} particles are more than one set holds ({})",
                                  parts_.front().name.string(), end - begin, max_particles));
    Particles& p = snapshot.particles = new_particles(end - begin, arrays);
    std::iota(p.id.host().begin(), p.id.host().end(), begin + 1);
    const auto has_components = [](const Part& part) {
        return std::ranges::any_of(part.pieces, &GadgetPiece::has_components);
    };
    if (p.component.size() == 0 && p.size() > 0 && std::ranges::any_of(parts_, has_components)) {
        p.component = Buffer<Component>(Backend::cpu, p.size());
        std::ranges::fill(p.component.host(), Component{0});
    }
    RowFindings findings;
    std::array<std::uint64_t, n_particle_types> next{};  // of each type, the place of the part's first
    std::exclusive_scan(counts_.begin(), counts_.end(), next.begin(), std::uint64_t{0});
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const Part& part = parts_[k];
        std::optional<Hdf5File> file;
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            const std::uint64_t place = next[type], rows = part.rows[type];
            next[type] += rows;
            const std::uint64_t from = std::max(begin, place), to = std::min(end, place + rows);
            if (from >= to) continue;
            if (!file) file = Hdf5File::open(part.name);
            read_piece({*file, type, rows, from - place, to - place, from - begin}, part,
                       static_cast<std::uint32_t>(k), p, findings);
        }
    }
    return findings;
}

void GadgetHdf5::settle(Snapshot& snapshot, const RowFindings& findings,
                        const std::function<double()>& known_mass) const
{
    expect_no_repeated_part(parts_, findings);
    // The header is that of a part with particles, because it includes attributes of datasets.
    const auto holds_particles = [](const Part& part) {
        return std::ranges::any_of(part.rows, [](std::uint64_t n) { return n > 0; });
    };
    const auto known = std::ranges::find_if(parts_, holds_particles);
    snapshot.header = (known == parts_.end() ? parts_.front() : *known).metadata.header;
    snapshot.file = file_;
    snapshot.format = parts_[0].metadata.format;
    snapshot.softening = parts_[0].metadata.softening;
    if (parts_.size() > 1) snapshot.format += fmt::format(", {} files", parts_.size());
    std::array<bool, n_particle_types> without_mass{};
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const Part& part = parts_[k];
        for (const std::string& note : part.metadata.notes) add_once(snapshot.notes, note);
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            if (part.rows[type] == 0) continue;
            tell_of_piece(part, type, findings.contradicts(static_cast<std::uint32_t>(k), type), snapshot);
            without_mass[type] |= part.pieces[type].mass_field.empty() && part.mass_in_table(type) == 0;
        }
    }
    complete_masses(snapshot, without_mass, file_.string(), counts_, known_mass);
}

Snapshot read_gadget_hdf5(const fs::path& name, const SnapshotArrays& arrays)
{
    const GadgetHdf5 files(name);
    Snapshot snapshot;
    const RowFindings findings = files.read(snapshot, arrays, 0, files.size());
    files.settle(snapshot, findings, [&] { return total_of(snapshot.particles.mass.host()); });
    return snapshot;
}

Provenance read_provenance(const fs::path& name)
{
    const auto found = hdf5_file_of(name);
    if (!found) throw IoError(fmt::format("{}: not an HDF5 file", name.string()));
    return provenance_in(Hdf5File::open(*found));
}

}  // namespace aureole::io
