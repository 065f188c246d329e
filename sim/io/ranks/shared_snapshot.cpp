#include "sim/io/ranks/shared_snapshot.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"

namespace aureole::io {
namespace {

using comm::Communicator;
using Counts = std::array<std::uint64_t, n_particle_types>;

/// The same of all ranks.
template <class T>
std::vector<T> of_all(Communicator& ranks, const T& own)
{
    std::vector<T> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(comm::bytes_of(own), std::as_writable_bytes(std::span(all)));
    return all;
}

/// Whether there are particles of several components on all ranks.
bool several_components(Communicator& ranks, ConstParticlesView own)
{
    std::array<std::int64_t, 2> limits{-1, 0};  // of the least, which is negative, and the greatest
    if (own.component && own.n > 0) {
        const auto [least, greatest] = std::ranges::minmax(std::span(own.component, own.n));
        limits = {-1 - std::int64_t{least}, 1 + std::int64_t{greatest}};
    } else {
        limits = {std::numeric_limits<std::int64_t>::min(), 0};
    }
    ranks.all_reduce(limits, comm::Reduction::max);
    return limits[1] > 0 && -1 - limits[0] != limits[1] - 1;
}

/// What the ranks with particles have, which is the same for all of them.
void settle_arrays(Communicator& ranks, const std::filesystem::path& file, ConstParticlesView own,
                   const SnapshotContent& content, SharedFile& shared)
{
    struct Arrays {
        bool any, velocities, groups;
    };
    std::optional<Arrays> found;
    const auto all = of_all(ranks, Arrays{own.n > 0, !own.velocity.absent(), !content.group.empty()});
    comm::agreed(ranks, [&] {
        for (const Arrays& arrays : all) {
            if (!arrays.any) continue;
            AUREOLE_EXPECT(
                !found || (found->velocities == arrays.velocities && found->groups == arrays.groups),
                "{}: some ranks have velocities or groups and others do not", file.string());
            found = arrays;
        }
    });
    if (!found) return;
    shared.velocities = found->velocities;
    shared.groups = found->groups;
}

/// The masses of types in the header, where they are not stored with the particles. Throws IoError where two
/// ranks have different ones.
std::array<double, n_particle_types> masses_of_all(Communicator& ranks, const std::filesystem::path& file,
                                                   ConstParticlesView own, const SnapshotContent& content,
                                                   const std::vector<Counts>& counts)
{
    std::array<double, n_particle_types> masses{};
    if (content.fields.masses) return masses;
    comm::agreed(ranks, [&] { masses = mass_table(file, own, content); });
    const auto all = of_all(ranks, masses);
    comm::agreed(ranks, [&] {
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            std::optional<double> found;
            for (std::size_t r = 0; r < all.size(); ++r) {
                if (counts[r][type] == 0) continue;
                if (found && *found != all[r][type])
                    throw IoError(
                        fmt::format("{}: particles of type {} have several masses ({} and {}), expected "
                                    "`masses` among the fields",
                                    file.string(), type, *found, all[r][type]));
                found = all[r][type];
            }
            masses[type] = found.value_or(0);
        }
    });
    return masses;
}

SharedFile settle(Communicator& ranks, const std::filesystem::path& file, ConstParticlesView own,
                  const SnapshotContent& content)
{
    SharedFile shared;
    Counts counts{};
    comm::agreed(ranks, [&] {
        AUREOLE_EXPECT(!content.compress, "{}: several ranks cannot write a compressed file", file.string());
        AUREOLE_EXPECT(content.part.of == 1, "{}: several ranks write one file, found {} parts",
                       file.string(), content.part.of);
        AUREOLE_EXPECT(own.id || own.n == 0, "{}: the particles of several ranks have no ids", file.string());
        expect_complete(file, own, content);
        counts = count_by_type(own);
    });
    const std::vector<Counts> all = of_all(ranks, counts);
    for (std::size_t r = 0; r < all.size(); ++r)
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            shared.counts[type] += all[r][type];
            if (static_cast<int>(r) < ranks.rank()) shared.first[type] += all[r][type];
        }
    comm::agreed(ranks, [&] {
        for (std::size_t type = 0; type < n_particle_types; ++type)
            if (shared.counts[type] > 0xffffffffu)
                throw IoError(fmt::format("{}: {} particles of type {} are more than NumPart_ThisFile states",
                                          file.string(), shared.counts[type], type));
    });
    shared.masses = masses_of_all(ranks, file, own, content, all);
    shared.components = several_components(ranks, own);
    settle_arrays(ranks, file, own, content, shared);
    return shared;
}

/// A file that is open for writing in place.
class OpenFile {
public:
    explicit OpenFile(std::filesystem::path name)
        : name_(std::move(name)), handle_(::open(name_.c_str(), O_WRONLY | O_CLOEXEC))
    {
        if (handle_ < 0) fail("opened");
    }
    ~OpenFile()
    {
        if (handle_ >= 0) ::close(handle_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    void put(std::uint64_t at, std::span<const std::byte> bytes)
    {
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(at));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail("written");
            at += static_cast<std::uint64_t>(n);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }

    /// Waits for the disk: the rank that renames the file cannot do so for others.
    void finish()
    {
        if (::fsync(handle_) != 0 && errno != EINVAL) fail("brought to the disk");
        const int handle = std::exchange(handle_, -1);
        if (::close(handle) != 0) fail("closed");
    }

private:
    [[noreturn]] void fail(const char* what) const
    {
        throw IoError(fmt::format("{}: cannot be {}: {}", name_.string(), what, write_failure(name_)));
    }

    std::filesystem::path name_;
    int handle_;
};

/// The rows of a rank that did not make the file.
void put_rows(const std::filesystem::path& file, ConstParticlesView own, const SnapshotContent& content,
              SharedFile& shared)
{
    Hdf5File made = Hdf5File::open(file);
    OpenFile out(file);
    shared.put = [&](const std::string& path, std::uint64_t row, std::size_t bytes_of_row,
                     std::span<const std::byte> bytes) {
        const Hdf5Dataset dataset = made.dataset(path);
        const auto offset = dataset.offset();
        AUREOLE_EXPECT(offset && dataset.width() * dataset.layout().bytes == bytes_of_row,
                       "{} is not stored in rows of {} bytes", dataset.label(), bytes_of_row);
        out.put(*offset + row * bytes_of_row, bytes);
    };
    write_gadget_file(made, own, {}, content, &shared);
    out.finish();
}

}  // namespace

void write_shared_snapshot(Communicator& ranks, const std::filesystem::path& file, ConstParticlesView own,
                           const SnapshotContent& given)
{
    const SnapshotContent content = with_exponents(given, -1, 0.5);
    SharedFile shared = settle(ranks, file, own, content);
    std::optional<AtomicFile> target;
    std::filesystem::path temporary = file;
    temporary += partial_ending;
    const bool makes_it = ranks.rank() == 0;
    comm::agreed(ranks, [&] {
        if (!makes_it) return;
        target.emplace(file);
        Hdf5File out = Hdf5File::create(temporary, file);
        write_gadget_file(out, own, {}, content, &shared);
        out.close();
    });
    comm::agreed(ranks, [&] {
        if (!makes_it) return put_rows(temporary, own, content, shared);
        if (ranks.size() > 1) sync_file(temporary);
    });
    comm::agreed(ranks, [&] {
        if (makes_it) target->commit();
    });
}

}  // namespace aureole::io
