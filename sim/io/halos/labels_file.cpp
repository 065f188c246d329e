#include "sim/io/halos/labels_file.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/backend.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/grp_file.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"

namespace aureole::io {
namespace {

/// Entries in the order of rising ids; throws IoError for an id that is there twice.
std::vector<Index> order_by_id(std::span<const std::uint64_t> ids, const std::string& what)
{
    std::vector<Index> order(ids.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [ids](Index i) { return ids[i]; });
    const auto twice = std::ranges::adjacent_find(order, {}, [ids](Index i) { return ids[i]; });
    if (twice != order.end())
        throw IoError(fmt::format("{} id {} twice: labels cannot be matched by id", what, ids[*twice]));
    return order;
}

std::vector<std::int64_t> matched(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                                  std::span<const std::uint64_t> labelled,
                                  std::span<const std::int64_t> label)
{
    const std::vector<Index> there = order_by_id(labelled, fmt::format("{}: holds", file.string()));
    const std::vector<Index> here = order_by_id(ids, "the snapshot holds");
    std::vector<std::int64_t> result(ids.size());
    auto at = there.begin();
    for (const Index i : here) {
        while (at != there.end() && labelled[*at] < ids[i]) ++at;
        if (at == there.end() || labelled[*at] != ids[i])
            throw IoError(
                fmt::format("{}: holds no label of particle id {} of the snapshot", file.string(), ids[i]));
        result[i] = std::max<std::int64_t>(label[*at], -1);
    }
    return result;
}

std::vector<std::int64_t> read_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids)
{
    const Hdf5File in = Hdf5File::open(file);
    if (!in.has_dataset("/ParticleIDs") || !in.has_dataset("/GroupIDs"))
        throw IoError(
            fmt::format("{}: holds no labels (/ParticleIDs and /GroupIDs, as `aureole find --labels` "
                        "writes them)",
                        file.string()));
    const Hdf5Dataset particles = in.dataset("/ParticleIDs");
    const auto label = in.values<std::int64_t>("/GroupIDs");
    if (particles.rows() != label.size() || label.size() > max_particles)
        throw IoError(fmt::format("{}: {} /ParticleIDs and {} /GroupIDs, expected as many of either",
                                  file.string(), particles.rows(), label.size()));
    std::vector<std::uint64_t> labelled(label.size());
    read_ids(particles, labelled);
    return matched(file, ids, labelled, label);
}

}  // namespace

void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings,
                  const Provenance& provenance)
{
    AUREOLE_EXPECT(ids.size() == group.size(), "{}: {} ids and {} group numbers, expected as many of either",
                   file.string(), ids.size(), group.size());
    write_hdf5(file, [&](Hdf5File& out) {
        out.write_dataset("/ParticleIDs", ids);
        write_field<std::int64_t>(out, "/GroupIDs", ids.size(), 0,
                                  [group](std::size_t row, std::int64_t* to) { *to = group[row]; });
        out.write_attributes("/", settings);
        write_provenance(out, provenance);
    });
}

std::vector<std::int64_t> read_memberships(const std::filesystem::path& file,
                                           std::span<const std::uint64_t> ids)
{
    return is_hdf5(file) ? read_labels(file, ids) : read_grp(file, ids.size());
}

}  // namespace aureole::io
