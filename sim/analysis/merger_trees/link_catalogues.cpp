#include "sim/analysis/merger_trees/merger_trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "halo/device_members.hpp"
#include "halo/merger_tree/tracker.hpp"
#include "sim/analysis/merger_trees/link_tables.hpp"
#include "sim/core/error.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;
using Integers = std::vector<std::int64_t>;

std::vector<unsigned> catalogue_numbers_in(const fs::path& directory)
{
    const std::vector<unsigned> numbers = io::numbers_in(directory, io::catalogue_names);
    if (numbers.empty())
        throw IoError(fmt::format("{}: holds no catalogue, expected {} and others", directory.string(),
                                  io::catalogue_names.of(0)));
    return numbers;
}

template <class T>
const std::vector<T>& column(const Table& table, const std::string& name, std::size_t width,
                             const fs::path& file)
{
    static const std::vector<T> none;
    if (table.rows == 0) return none;
    const Column* const found = table.find(name);
    if (!found || found->width != width || !std::holds_alternative<std::vector<T>>(found->values))
        throw IoError(fmt::format("{}: has no column /Subhalo/{} of {} numbers in a row, which links need",
                                  file.string(), name, width));
    return std::get<std::vector<T>>(found->values);
}

/// The places of the particles of a snapshot in the order of ids, in which all catalogues are linked.
class IdOrder {
public:
    /// Moves positions, velocities and masses of `snapshot` into the order of ids; place()[i] is where
    /// particle i has gone.
    std::vector<Index> sort(Particles& particles, const fs::path& file)
    {
        const auto id = particles.id.host();
        std::vector<Index> order(particles.size()), place(particles.size());
        std::iota(order.begin(), order.end(), Index{0});
        std::ranges::sort(order, {}, [&](Index i) { return id[i]; });
        std::vector<std::uint64_t> sorted;
        for (std::size_t k = 0; k < order.size(); ++k) {
            place[order[k]] = static_cast<Index>(k);
            sorted.push_back(id[order[k]]);
        }
        if (ids_.empty()) ids_ = sorted;
        const auto [here, expected] = std::ranges::mismatch(sorted, ids_);
        if (here != sorted.end() || expected != ids_.end())
            throw IoError(
                fmt::format("{}: {} particles with other ids than the {} of the first snapshot; "
                            "catalogues are linked by the ids of equal particles",
                            file.string(), sorted.size(), ids_.size()));
        particles = particles.gathered(order);
        return place;
    }

private:
    std::vector<std::uint64_t> ids_;
};

/// Where each type begins in a snapshot, which lies type by type.
std::array<std::uint64_t, n_particle_types> begins_of_types(const ConstParticlesView& particles)
{
    const auto counts = io::count_by_type(particles);
    std::array<std::uint64_t, n_particle_types> begin{};
    std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), std::uint64_t{0});
    return begin;
}

/// Places of members in the order of ids, by their rank in their type.
halo::Members members_of(const Table& subhalos, const ConstParticlesView& particles,
                         const std::vector<Index>& place, const fs::path& file)
{
    const auto& length = column<std::int64_t>(subhalos, "SubhaloLenType", n_particle_types, file);
    const auto& offset = column<std::int64_t>(subhalos, "SubhaloOffsetType", n_particle_types, file);
    const auto counts = io::count_by_type(particles);
    const auto begin = begins_of_types(particles);
    halo::Members members;
    std::vector<std::pair<double, Index>> ranked;
    for (std::size_t row = 0; row < subhalos.rows; ++row) {
        ranked.clear();
        for (std::size_t type = 0; type < n_particle_types; ++type) {
            const std::int64_t n = length[row * n_particle_types + type],
                               first = offset[row * n_particle_types + type];
            if (n < 0 || (n > 0 && (first < 0 || static_cast<std::uint64_t>(first + n) > counts[type])))
                throw IoError(
                    fmt::format("{}: subhalo {} has particles {} to {} of type {}, of which the "
                                "snapshot beside it has {}",
                                file.string(), row, first, first + n, type, counts[type]));
            for (std::int64_t k = 0; k < n; ++k)
                ranked.emplace_back((static_cast<double>(k) + 0.5) / static_cast<double>(n),
                                    place[begin[type] + static_cast<std::uint64_t>(first + k)]);
        }
        if (ranked.empty()) throw IoError(fmt::format("{}: subhalo {} has no members", file.string(), row));
        std::ranges::stable_sort(ranked, {}, &std::pair<double, Index>::first);
        for (const auto& [rank, particle] : ranked) members.particle.push_back(particle);
        members.begin.push_back(members.particle.size());
    }
    return members;
}

halo::HaloRows rows_of(const Table& subhalos, const fs::path& file)
{
    halo::HaloRows rows;
    rows.mass = column<double>(subhalos, "SubhaloMass", 1, file);
    rows.dispersion = column<double>(subhalos, "SubhaloVelDisp", 1, file);
    rows.rank = column<std::int64_t>(subhalos, "SubhaloRankInGr", 1, file);
    if (const Column* const v_max = subhalos.find("SubhaloVmax"))
        rows.v_max = std::get<std::vector<double>>(v_max->values);
    return rows;
}

halo::LinkContext context_of(const io::Snapshot& snapshot)
{
    halo::LinkContext context;
    context.box = Box{snapshot.header.box_size};
    if (snapshot.softening) context.softening = std::ranges::max(snapshot.softening->length);
    const double a = snapshot.header.comoving ? 1 / (1 + snapshot.header.redshift) : 1;
    context.velocity_factor = std::pow(a, snapshot.header.velocity_a_exponent);
    return context;
}

}  // namespace

std::size_t link_catalogues(const fs::path& directory, const io::Provenance& provenance,
                            const Progress& progress)
{
    const std::vector<unsigned> numbers = catalogue_numbers_in(directory);
    IdOrder ids;
    halo::HaloTracker tracker;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        progress.at(static_cast<double>(k) / static_cast<double>(numbers.size()), "links of catalogues");
        const fs::path file = directory / io::catalogue_names.of(numbers[k]),
                       beside = directory / fmt::format("snapshot_{:03}.hdf5", numbers[k]);
        const io::CatalogueFile catalogue = io::read_catalogue(file);
        io::Snapshot snapshot = io::read_snapshot(beside, io::SnapshotArrays::reading());
        const ConstParticlesView unsorted = snapshot.particles.view();
        halo::Members members;
        {
            const Particles& host = snapshot.particles;
            Particles sorted = host.copy_to(Backend::cpu);
            const std::vector<Index> place = ids.sort(sorted, beside);
            members = members_of(catalogue.subhalos, unsorted, place, file);
            snapshot.particles = std::move(sorted);
        }
        const ConstParticlesView particles = std::as_const(snapshot.particles).view();
        const halo::DeviceMembers lists(Backend::cpu, members);
        const Exec exec{Backend::cpu};
        const halo::CatalogueLinks links =
            tracker.add(exec, particles, static_cast<std::int32_t>(numbers[k]),
                        halo::members_by_binding(exec, particles.n, lists.view()),
                        rows_of(catalogue.subhalos, file), context_of(snapshot));
        io::CatalogueContent content;
        content.header = catalogue.header;
        content.provenance = provenance;
        write_links(directory, links, content);
    }
    return numbers.size();
}

}  // namespace aureole::run
