#include "halo/ranks/described_groups.hpp"

#include <utility>

#include "halo/ranks/group_rows.hpp"
#include "halo/ranks/spheres_over_parts.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole::halo {
namespace {

comm::Parts::Box packed(const GroupRows& rows)
{
    comm::Parts::Box box;
    GroupRows::for_each_array(rows, rows, [&](const auto& array, const auto&) {
        pack_one(box, std::uint64_t{array.size()});
        pack(box, std::span(array));
    });
    return box;
}

GroupRows unpacked(std::span<const std::byte> box)
{
    GroupRows rows;
    const auto next = [&](std::size_t bytes) {
        const std::span<const std::byte> piece = box.first(bytes);
        box = box.subspan(bytes);
        return piece;
    };
    GroupRows::for_each_array(rows, rows, [&](auto& array, auto&) {
        const std::uint64_t n = values_of<std::uint64_t>(next(sizeof n))[0];
        append(array, next(n * sizeof array[0]));
    });
    return rows;
}

/// What describing `n` members at a time takes in the memory of `of`, when it is done on `where`.
std::size_t bytes_of_members(Backend of, Backend where, std::size_t n, bool with_subhalos)
{
    constexpr std::size_t travels = 2 * 73,
                          catalogue = 200,  // bytes a member: in boxes, and what is computed
        copy = 7 * sizeof(double) + sizeof(std::uint64_t) + sizeof(std::uint8_t) + sizeof(std::int32_t);
    std::size_t bytes = of == where && with_subhalos ? subhalo_scratch_bytes(where, n) : 0;
    if (of == Backend::cpu) bytes += n * (travels + Particles::bytes_per_particle());
    if (of == Backend::cpu && where == Backend::cpu) bytes += n * catalogue;
    if (of == Backend::cuda) bytes += n * copy + GroupCatalogue::scratch_bytes(n);
    return bytes;
}

/// Throws where a batch does not fit into the memory of the rank that describes it, or of its GPU.
void expect_memory(Backend where, const std::vector<GroupBatch>& batches, bool with_subhalos)
{
    for (const Backend of : {Backend::cpu, Backend::cuda}) {
        if (batches.empty() || (of == Backend::cuda && where != Backend::cuda)) continue;
        const memory::Available available = memory::available(of);
        for (const GroupBatch& batch : batches) {
            const std::size_t bytes = bytes_of_members(of, where, batch.n_members, with_subhalos);
            if (bytes <= available.bytes) continue;
            throw MemoryError(fmt::format(
                "group {}{} with {} members needs {:.1f} MB{} to be described, expected no more than {}: a "
                "group is described whole by one rank; take {} with more memory for each",
                batch.group.front(),
                batch.group.size() > 1 ? fmt::format(" and {} more groups", batch.group.size() - 1) : "",
                batch.n_members, megabytes(bytes), of == Backend::cuda ? " of a GPU" : "", available.text(),
                of == Backend::cuda ? "a GPU" : "a host"));
        }
    }
}

/// Spheres about the centres of each part's groups.
void add_spheres(comm::Parts& parts, std::span<const PartParticles> held, const DescriptionQuery& query,
                 std::vector<GroupRows>& of_part)
{
    std::vector<std::vector<Vec3>> centre(of_part.size());
    for (std::size_t k = 0; k < of_part.size(); ++k)
        for (const HaloProperties& row : of_part[k].rows) centre[k].push_back(row.centre);
    std::vector<double> density;
    for (const DensityThreshold& threshold : query.catalogue.thresholds) density.push_back(threshold.density);
    auto spheres = spheres_over_parts(parts, held, query.catalogue.box, density, centre);
    for (std::size_t k = 0; k < of_part.size(); ++k) of_part[k].spheres = std::move(spheres[k]);
}

/// All rows on the rank of part 0, nothing elsewhere.
DescribedGroups gathered(comm::Parts& parts, std::vector<GroupRows> of_part, const GroupShares& shares,
                         const DescriptionQuery& query)
{
    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t) { out[k][0] = packed(std::exchange(of_part[k], {})); });
    comm::Parts::Boxes in = parts.exchange(std::move(out));
    DescribedGroups all;
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        if (part != 0) return;
        std::vector<GroupRows> rows;
        for (comm::Parts::Box& box : in[k]) rows.push_back(unpacked(std::exchange(box, {})));
        all = merged_rows(std::move(rows), shares, query);
    });
    return all;
}

}  // namespace

DescribedGroups describe_over_parts(comm::Parts& parts, std::span<const PartParticles> held,
                                    std::span<const std::vector<std::int32_t>> label,
                                    std::span<const std::uint64_t> n_members, const DescriptionQuery& query)
{
    AUREOLE_EXPECT(held.size() == static_cast<std::size_t>(parts.held()) && label.size() == held.size(),
                   "particles of {} parts and labels of {} where {} are held", held.size(), label.size(),
                   parts.held());
    parts.common_check([&] {
        AUREOLE_EXPECT(!query.spheres || query.catalogue.crossing == Crossing::outermost,
                       "spheres of innermost crossings, expected outermost ones over several parts");
    });
    const GroupShares shares =
        GroupShares::of(n_members, static_cast<std::size_t>(parts.size()), query.batch_members);
    on_parts(parts, [&](std::size_t, std::size_t part) {
        expect_memory(query.exec.backend, shares.of_part[part], query.subhalos.has_value());
    });
    std::vector<GroupRows> of_part(held.size());
    {
        GroupMoves moves(parts, held, label, n_members.size());
        GroupCatalogue catalogue;
        for (std::size_t number = 0; number < shares.n_batches(); ++number) {
            std::vector<MovedGroups> moved = moves.batch(shares, number);
            on_parts(parts, [&](std::size_t k, std::size_t part) {
                const MovedGroups own = std::exchange(moved[k], {});
                if (number < shares.of_part[part].size())
                    of_part[k].add(shares.of_part[part][number], own, query, catalogue);
            });
        }
    }
    if (query.spheres && !query.catalogue.thresholds.empty()) add_spheres(parts, held, query, of_part);
    return gathered(parts, std::move(of_part), shares, query);
}

}  // namespace aureole::halo
