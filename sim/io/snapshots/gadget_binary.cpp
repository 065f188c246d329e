#include "sim/io/snapshots/gadget_binary.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {
namespace {

using Counts = std::array<std::uint64_t, n_particle_types>;

/// FILE.7 is part 7 of FILE.
struct PartName {
    std::string base;
    std::uint32_t number;
};

std::optional<PartName> part_name(const std::filesystem::path& file)
{
    const std::string name = file.string();
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    PartName part{name.substr(0, dot), 0};
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + dot + 1, end, part.number);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return part;
}

/// Throws unless `part` can belong to the snapshot that `first` begins.
void expect_same_snapshot(const GadgetBinaryPart& first, const GadgetBinaryPart& part)
{
    const GadgetBinaryHeader &a = first.header, &b = part.header;
    if (a.n_files != b.n_files || a.time != b.time || a.mass != b.mass || a.box_size != b.box_size ||
        a.count_total != b.count_total)
        throw IoError(
            fmt::format("{}: its header contradicts that of {} (number of files, time, masses, box or "
                        "total counts): parts of different snapshots",
                        part.file.string(), first.file.string()));
}

std::vector<GadgetBinaryPart> scan_parts(const std::filesystem::path& file)
{
    std::error_code ignored;
    const bool base_given = !std::filesystem::exists(file, ignored);
    const std::filesystem::path given = base_given ? file.string() + ".0" : file.string();
    std::vector<GadgetBinaryPart> parts;
    parts.push_back(scan_gadget_binary_part(given));
    const std::uint32_t n_files = parts[0].header.n_files;
    if (n_files == 1) return parts;

    const auto name = part_name(given);
    if (!name || name->number >= n_files)
        throw IoError(
            fmt::format("{}: is one of {} files of a snapshot by its header, expected a name that ends in "
                        ".0 to .{}",
                        given.string(), n_files, n_files - 1));
    const GadgetBinaryPart known = std::move(parts[0]);
    parts.clear();
    for (std::uint32_t k = 0; k < n_files; ++k) {
        const std::filesystem::path part = fmt::format("{}.{}", name->base, k);
        if (!std::filesystem::exists(part, ignored))
            throw IoError(fmt::format("{}: missing, {} says that the snapshot has {} files", part.string(),
                                      given.string(), n_files));
        parts.push_back(k == name->number ? known : scan_gadget_binary_part(part));
        expect_same_snapshot(known, parts.back());
    }
    return parts;
}

/// Reads the particles of one part: runs of one type in the file, each with its place in memory.
class PartReader {
public:
    /// `begin[t]`: index of this part's first particle of type t.
    PartReader(const GadgetBinaryPart& part, const Counts& begin, Particles& to)
        : part_(part), begin_(begin), to_(to), input_(part.file, part.order)
    {
    }

    void read()
    {
        if (part_.header.total() == 0) return;
        read_ids();  // first, because messages about other blocks name particles by id
        if (to_.position.x.size() > 0) read_vectors("POS", part_.position, to_.position, {"x", "y", "z"});
        if (to_.velocity.x.size() > 0) read_vectors("VEL", part_.velocity, to_.velocity, {"vx", "vy", "vz"});
        read_masses();
    }

private:
    struct Run {
        std::uint64_t first;    ///< in the block
        std::uint64_t in_file;  ///< among all particles of the file
        std::uint64_t count;
        std::uint64_t target;  ///< index in memory
        ParticleType type;
    };

    std::vector<Run> runs(bool stored_mass_only) const
    {
        std::vector<Run> result;
        std::uint64_t first = 0, in_file = 0;
        for (std::size_t t = 0; t < n_particle_types; ++t) {
            const std::uint64_t n = part_.header.count[t];
            if (n > 0 && !(stored_mass_only && part_.header.mass[t] != 0)) {
                result.push_back({first, in_file, n, begin_[t], static_cast<ParticleType>(t)});
                first += n;
            }
            in_file += n;
        }
        return result;
    }

    template <class Use>
    void each_real(const GadgetBinaryBlock& block, std::uint64_t first, std::uint64_t count, Use use)
    {
        const std::uint64_t at = block.offset + first * block.number_size;
        if (block.number_size == 4)
            input_.each<float>(at, count, [&](std::uint64_t k, float x) { use(k, double{x}); });
        else
            input_.each<double>(at, count, use);
    }

    void read_ids()
    {
        const auto ids = to_.id.host();
        const auto types = to_.type.host();
        for (const Run& run : runs(false)) {
            std::fill_n(types.begin() + static_cast<std::ptrdiff_t>(run.target), run.count, run.type);
            const auto store = [&](std::uint64_t k, std::uint64_t id) { ids[run.target + k] = id; };
            const std::uint64_t at = part_.id.offset + run.first * part_.id.number_size;
            if (part_.id.number_size == 4)
                input_.each<std::uint32_t>(at, run.count, store);
            else
                input_.each<std::uint64_t>(at, run.count, store);
        }
    }

    void read_vectors(const char* block_name, const GadgetBinaryBlock& block, Vec3Buffer& to,
                      const std::array<const char*, 3>& names)
    {
        const std::array<std::span<double>, 3> axes{to.x.host(), to.y.host(), to.z.host()};
        for (const Run& run : runs(false))
            each_real(block, 3 * run.first, 3 * run.count, [&](std::uint64_t k, double x) {
                if (!std::isfinite(x)) refuse(block_name, run, k / 3, names[k % 3], x);
                axes[k % 3][run.target + k / 3] = x;
            });
    }

    void read_masses()
    {
        const auto masses = to_.mass.host();
        for (const Run& run : runs(false))
            std::fill_n(masses.begin() + static_cast<std::ptrdiff_t>(run.target), run.count,
                        part_.header.mass[run.type]);
        for (const Run& run : runs(true))
            each_real(part_.mass, run.first, run.count, [&](std::uint64_t k, double m) {
                if (!(std::isfinite(m) && m >= 0)) refuse("MASS", run, k, "mass", m);
                masses[run.target + k] = m;
            });
    }

    [[noreturn]] void refuse(const char* block, const Run& run, std::uint64_t k, const char* quantity,
                             double value) const
    {
        throw IoError(
            fmt::format("{}: block {}: particle {} (type {}, id {}) has {} = {}, expected a finite number{}",
                        input_.name(), block, run.in_file + k, run.type, to_.id.host()[run.target + k],
                        quantity, value, value < 0 ? " >= 0" : ""));
    }

    const GadgetBinaryPart& part_;
    Counts begin_;
    Particles& to_;
    BinaryInput input_;
};

Counts sum_of_counts(const std::vector<GadgetBinaryPart>& parts)
{
    Counts counts{};
    for (const GadgetBinaryPart& part : parts)
        for (std::size_t t = 0; t < n_particle_types; ++t) counts[t] += part.header.count[t];
    return counts;
}

/// Compares the totals of the headers with what is there, modulo 2^32, because older files hold no high word.
void check_totals(const std::vector<GadgetBinaryPart>& parts, const Counts& counts, Snapshot& snapshot)
{
    const Counts& promised = parts[0].header.count_total;
    for (std::size_t t = 0; t < n_particle_types; ++t) {
        if (static_cast<std::uint32_t>(promised[t]) == static_cast<std::uint32_t>(counts[t])) continue;
        const std::string found =
            fmt::format("{} particles of type {}, the header's total is {}", counts[t], t, promised[t]);
        if (parts.size() > 1)
            throw IoError(
                fmt::format("{}: its {} files hold {}", parts[0].file.string(), parts.size(), found));
        snapshot.notes.push_back(fmt::format("The file holds {}; the file's own count was used.", found));
    }
    std::uint64_t total = 0;
    for (const std::uint64_t n : counts) total += n;
    if (total == 0) throw IoError(fmt::format("{}: the snapshot holds no particles", parts[0].file.string()));
    if (total > max_particles)
        throw IoError(fmt::format("{}: {} particles, at most {} can be read", parts[0].file.string(), total,
                                  max_particles));
}

SnapshotHeader snapshot_header(const GadgetBinaryPart& part, std::vector<std::string>& notes)
{
    const GadgetBinaryHeader& h = part.header;
    SnapshotHeader header;
    header.time = h.time;
    header.redshift = h.redshift;
    header.box_size = h.box_size;
    header.omega0 = h.omega0;
    header.omega_lambda = h.omega_lambda;
    header.comoving = h.redshift > 0 || h.omega0 > 0;
    if (h.hubble > 0)
        header.hubble = h.hubble;
    else if (header.comoving)
        notes.push_back("The header has no HubbleParam; 1 was taken.");
    if (header.comoving) complete_scale_factor(header, h.time, h.redshift, part.file.string(), notes);
    if (header.comoving && h.box_size == 0)
        notes.push_back(
            "The header says comoving (Redshift or Omega0) but has no BoxSize; a periodic box must be "
            "given by hand.");
    return header;
}

}  // namespace

bool is_gadget_binary(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::array<unsigned char, 4> first{};
    if (!stream.read(reinterpret_cast<char*>(first.data()), first.size())) return false;
    const std::uint32_t little = first[0] | first[1] << 8 | first[2] << 16 | std::uint32_t{first[3]} << 24;
    const std::uint32_t big = first[3] | first[2] << 8 | first[1] << 16 | std::uint32_t{first[0]} << 24;
    return is_gadget_first_marker(little) || is_gadget_first_marker(big);
}

Snapshot read_gadget_binary(const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    const std::vector<GadgetBinaryPart> parts = scan_parts(file);
    const GadgetBinaryPart& first = parts[0];
    Snapshot snapshot;
    snapshot.format =
        fmt::format("{} binary (format {}, {}{})", first.gadget4 ? "GADGET-4" : "Gadget", first.format,
                    label_of(first.order), parts.size() > 1 ? fmt::format(", {} files", parts.size()) : "");
    snapshot.header = snapshot_header(first, snapshot.notes);
    const Counts counts = sum_of_counts(parts);
    check_totals(parts, counts, snapshot);

    Counts begin{};
    std::uint64_t total = 0;
    for (std::size_t t = 0; t < n_particle_types; ++t) begin[t] = std::exchange(total, total + counts[t]);
    snapshot.particles = new_particles(total, arrays);
    for (const GadgetBinaryPart& part : parts) {
        PartReader(part, begin, snapshot.particles).read();
        for (std::size_t t = 0; t < n_particle_types; ++t) begin[t] += part.header.count[t];
        for (const std::string& name : part.other_blocks)
            if (std::ranges::find(snapshot.dropped_fields, name) == snapshot.dropped_fields.end())
                snapshot.dropped_fields.push_back(name);
    }
    return snapshot;
}

}  // namespace aureole::io
