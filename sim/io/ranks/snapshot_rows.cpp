#include "sim/io/ranks/snapshot_rows.hpp"

#include <cstring>

#include "sim/comm/agreed.hpp"
#include "sim/comm/parts.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/mean_density.hpp"

namespace aureole::io {
namespace {

using comm::Communicator;

comm::Piece run_of(std::uint64_t n, int rank, int size)
{
    return comm::piece_of(n, 1, static_cast<std::size_t>(rank), static_cast<std::size_t>(size));
}

/// The total of the masses of all ranks.
double total_mass(Communicator& ranks, std::span<const double> masses)
{
    std::int64_t exponent = largest_exponent(masses);
    ranks.all_reduce({&exponent, 1}, comm::Reduction::max);
    OrderFreeSum sum;
    comm::agreed(ranks, [&] { sum = order_free_sum(masses, static_cast<std::int32_t>(exponent)); });
    ranks.all_reduce(std::span<std::int64_t>(sum.digit), comm::Reduction::sum);
    return sum.value(static_cast<std::int32_t>(exponent));
}

/// Equal ids come to one rank, each once from every rank.
std::optional<std::uint64_t> repeated_id(Communicator& ranks, std::span<const std::uint64_t> own)
{
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t least = none, found = 0;
    const auto note = [&](std::vector<std::uint64_t>& ids) {
        std::ranges::sort(ids);
        const auto twice = std::ranges::adjacent_find(ids);
        if (twice == ids.end()) return;
        least = std::min(least, *twice);
        found = 1;  // the id may be the largest number
    };
    std::vector<std::vector<std::byte>> out, in;
    comm::agreed(ranks, [&] {
        std::vector<std::uint64_t> ids(own.begin(), own.end());
        note(ids);
        ids.erase(std::ranges::unique(ids).begin(), ids.end());
        const auto n_ranks = static_cast<std::uint64_t>(ranks.size());
        const auto rank_of = [&](std::uint64_t id) { return (id * 0x9e3779b97f4a7c15u >> 32) % n_ranks; };
        std::vector<std::size_t> filled(n_ranks, 0);
        for (const std::uint64_t id : ids) ++filled[rank_of(id)];
        out.resize(n_ranks);
        for (std::size_t r = 0; r < out.size(); ++r) out[r].resize(filled[r] * sizeof(std::uint64_t));
        std::ranges::fill(filled, 0);
        for (const std::uint64_t id : ids) {
            const std::uint64_t r = rank_of(id);
            std::memcpy(out[r].data() + sizeof id * filled[r]++, &id, sizeof id);
        }
    });
    in = ranks.all_to_all_v(out);
    comm::agreed(ranks, [&] {
        out.clear();
        std::vector<std::uint64_t> ids;
        for (const auto& bytes : in) {
            const std::size_t before = ids.size();
            ids.resize(before + bytes.size() / sizeof(std::uint64_t));
            if (!bytes.empty()) std::memcpy(ids.data() + before, bytes.data(), bytes.size());
        }
        note(ids);
    });
    ranks.all_reduce({&least, 1}, comm::Reduction::min);
    ranks.all_reduce({&found, 1}, comm::Reduction::max);
    if (found == 0) return std::nullopt;
    return least;
}

/// What a rank sees of the files.
struct SeenFiles {
    std::uint64_t n, bytes;
    std::array<std::uint64_t, n_particle_types> counts;
};

/// Throws on every rank where one sees other files than the first does.
void expect_equal_files(Communicator& ranks, const std::filesystem::path& file, const SeenFiles& own)
{
    std::vector<SeenFiles> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(comm::bytes_of(own), std::as_writable_bytes(std::span(all)));
    const auto compare = [&](std::size_t rank, std::uint64_t found, std::uint64_t expected,
                             const std::string& what) {
        if (found == expected) return;
        ranks.note_common_fault();
        throw IoError(fmt::format(
            "{}: rank {} of {} sees {} {}, and rank 0 sees {}; expected one folder that all ranks see",
            file.string(), rank, ranks.size(), found, what, expected));
    };
    for (std::size_t r = 1; r < all.size(); ++r) {
        compare(r, all[r].n, all[0].n, "files");
        for (std::size_t type = 0; type < n_particle_types; ++type)
            compare(r, all[r].counts[type], all[0].counts[type], fmt::format("particles of type {}", type));
        compare(r, all[r].bytes, all[0].bytes, "bytes in them");
    }
}

SnapshotRows read_hdf5_rows(Communicator& ranks, const std::filesystem::path& file,
                            const SnapshotArrays& arrays)
{
    SnapshotRows result;
    Snapshot& snapshot = result.snapshot;
    std::optional<GadgetHdf5> files;
    RowFindings findings;
    SeenFiles seen{};
    comm::agreed(ranks, [&] {
        files.emplace(file);
        seen = {files->n_files(), files->bytes_of_files(), files->counts()};
    });
    expect_equal_files(ranks, file, seen);
    comm::agreed(ranks, [&] {
        result.counts = files->counts();
        result.total = files->size();
        const comm::Piece run = run_of(result.total, ranks.rank(), ranks.size());
        result.first = run.begin;
        findings = files->read(snapshot, arrays, run.begin, run.end);
    });
    findings.starts = comm::gathered(ranks, findings.starts);
    findings.contradictions = comm::gathered(ranks, findings.contradictions);
    const std::span<const double> masses = snapshot.particles.mass.host();
    const double known = total_mass(ranks, masses);
    comm::agreed(ranks, [&] { files->settle(snapshot, findings, [&] { return known; }); });
    snapshot.mass_of_all = total_mass(ranks, masses);
    if (!arrays.positions) return result;
    comm::agreed(ranks, [&] { decide_units(snapshot); });
    if (const auto id = repeated_id(ranks, snapshot.particles.id.host()))
        snapshot.notes.push_back(repeated_id_note(*id));
    return result;
}

// Other formats: the first rank has all particles.

/// Calls visit(array) for the arrays of particles in turn; equally many of them on all ranks, some empty.
template <class Visit>
void for_each_array(Particles& p, Visit visit)
{
    visit(p.mass);
    for (Vec3Buffer* const v : {&p.position, &p.velocity, &p.acceleration})
        for (auto* const axis : {&v->x, &v->y, &v->z}) visit(*axis);
    visit(p.potential);
    visit(p.id);
    visit(p.type);
    visit(p.component);
}

/// Everything of a snapshot but its particles as bytes, or back.
class Packer {
public:
    explicit Packer(std::vector<std::byte>* to) : to_(to) {}
    explicit Packer(std::span<const std::byte> from) : from_(from) {}

    void snapshot(Snapshot& s)
    {
        std::string name = s.file.string();
        text(name);
        s.file = name;
        text(s.format);
        plain(s.header);
        bool has_softening = s.softening.has_value();
        plain(has_softening);
        if (has_softening) {
            if (!s.softening) s.softening.emplace();
            plain(s.softening->length);
            text(s.softening->source);
        }
        texts(s.dropped_fields);
        plain(s.has_velocities);
        texts(s.notes);
    }

    template <class T>
    void plain(T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&value, sizeof value);
    }

private:
    void text(std::string& value)
    {
        std::uint64_t size = value.size();
        plain(size);
        value.resize(size);
        bytes(value.data(), size);
    }
    void texts(std::vector<std::string>& values)
    {
        std::uint64_t size = values.size();
        plain(size);
        values.resize(size);
        for (std::string& value : values) text(value);
    }
    void bytes(void* value, std::size_t size)
    {
        if (to_) {
            const auto* const first = static_cast<const std::byte*>(value);
            to_->insert(to_->end(), first, first + size);
            return;
        }
        AUREOLE_EXPECT(size <= from_.size(), "a snapshot's description of {} bytes", from_.size());
        std::memcpy(value, from_.data(), size);
        from_ = from_.subspan(size);
    }

    std::vector<std::byte>* to_ = nullptr;
    std::span<const std::byte> from_;
};

SnapshotRows send_rows(Communicator& ranks, const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    SnapshotRows result;
    Snapshot whole;
    std::vector<std::byte> description;
    const bool is_first = ranks.rank() == 0;
    comm::agreed(ranks, [&] {
        if (!is_first) return;
        whole = read_snapshot(file, arrays);
        result.counts = count_by_type(whole.particles.view());
        result.total = whole.particles.size();
        whole.mass_of_all = total_of(whole.particles.mass.host());
        Packer packer(&description);
        packer.snapshot(whole);
        packer.plain(result.counts);
        packer.plain(result.total);
        packer.plain(whole.mass_of_all);
    });
    ranks.broadcast_any(description, 0);
    Snapshot& own = result.snapshot;
    std::vector<std::span<const std::byte>> arrays_of_whole;
    comm::agreed(ranks, [&] {
        Packer unpacker{std::span<const std::byte>(description)};
        unpacker.snapshot(own);
        unpacker.plain(result.counts);
        unpacker.plain(result.total);
        unpacker.plain(own.mass_of_all);
        for_each_array(whole.particles,
                       [&](auto& array) { arrays_of_whole.push_back(std::as_bytes(array.host())); });
    });
    const comm::Piece run = run_of(result.total, ranks.rank(), ranks.size());
    result.first = run.begin;
    std::size_t k = 0;
    for_each_array(own.particles, [&]<class T>(Buffer<T>& array) {
        std::vector<std::vector<std::byte>> out;
        comm::agreed(ranks, [&] {
            out.resize(static_cast<std::size_t>(ranks.size()));
            if (!is_first || arrays_of_whole[k].empty()) return;
            for (int r = 0; r < ranks.size(); ++r) {
                const comm::Piece there = run_of(result.total, r, ranks.size());
                const auto bytes = arrays_of_whole[k].subspan(there.begin * sizeof(T),
                                                              (there.end - there.begin) * sizeof(T));
                out[static_cast<std::size_t>(r)].assign(bytes.begin(), bytes.end());
            }
        });
        ++k;
        const auto in = ranks.all_to_all_v(out);
        comm::agreed(ranks, [&] {
            if (in[0].empty()) return;
            array = Buffer<T>(Backend::cpu, run.end - run.begin);
            std::memcpy(array.data(), in[0].data(), in[0].size());
        });
    });
    return result;
}

}  // namespace

SnapshotRows read_snapshot_rows(Communicator& ranks, const std::filesystem::path& file,
                                const SnapshotArrays& arrays)
{
    std::uint64_t hdf5 = 0;
    comm::agreed(ranks, [&] { hdf5 = ranks.rank() == 0 && hdf5_file_of(file) ? 1 : 0; });
    ranks.broadcast(std::as_writable_bytes(std::span(&hdf5, 1)), 0);
    return hdf5 ? read_hdf5_rows(ranks, file, arrays) : send_rows(ranks, file, arrays);
}

Snapshot gather_snapshot(Communicator& ranks, SnapshotRows rows)
{
    Snapshot whole = std::move(rows.snapshot);
    whole.mass_of_all.reset();
    comm::agreed(ranks, [&] {
        if (rows.total > max_particles)
            throw IoError(fmt::format("{}: {} particles are more than one set holds ({})",
                                      whole.file.string(), rows.total, max_particles));
    });
    for_each_array(whole.particles, [&]<class T>(Buffer<T>& array) {
        std::vector<std::vector<std::byte>> out;
        comm::agreed(ranks, [&] {
            out.resize(static_cast<std::size_t>(ranks.size()));
            const auto own = std::as_bytes(std::as_const(array).host());
            out[0].assign(own.begin(), own.end());
            array = {};
        });
        const auto in = ranks.all_to_all_v(out);
        comm::agreed(ranks, [&] {
            std::size_t size = 0;
            for (const auto& bytes : in) size += bytes.size();
            if (ranks.rank() > 0 || size == 0) return;
            array = Buffer<T>(Backend::cpu, size / sizeof(T));
            auto* to = reinterpret_cast<std::byte*>(array.data());
            for (const auto& bytes : in) {
                if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
                to += bytes.size();
            }
        });
    });
    return whole;
}

}  // namespace aureole::io
