#include "halo/merger_tree/catalogue_members.hpp"

#include <algorithm>
#include <bit>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/copy_bytes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

/// value[which], of values in the memory that `exec` runs in, on the host.
template <class T>
std::vector<T> gathered(Exec exec, const T* value, std::span<const Index> which)
{
    std::vector<T> result(which.size());
    if (which.empty()) return result;
    const auto n = static_cast<Index>(which.size());
    if (exec.backend == Backend::cpu) {
        gather(exec, n, which.data(), value, sizeof(T), result.data());
        return result;
    }
    const Buffer<Index> there(exec.backend, which);
    Buffer<T> found(exec.backend, which.size());
    gather(exec, n, there.data(), value, sizeof(T), found.data());
    copy_bytes(exec, result.data(), found.data(), result.size() * sizeof(T));
    return result;
}

/// The first members of each list, of lists that lie one after the other in `sorted`.
Members first_members(Exec exec, const MembersView& members, const Index* sorted)
{
    std::vector<std::uint64_t> begin(std::size_t{members.n_lists} + 1, 0);
    if (members.n_lists > 0) copy_bytes(exec, begin.data(), members.begin, begin.size() * sizeof begin[0]);
    Members cores;
    cores.begin.reserve(begin.size());
    std::vector<Index> places;
    for (std::size_t list = 0; list < members.n_lists; ++list) {
        const std::uint64_t n = std::min(begin[list + 1] - begin[list], most_core_members);
        for (std::uint64_t k = 0; k < n; ++k) places.push_back(static_cast<Index>(begin[list] + k));
        cores.begin.push_back(places.size());
    }
    cores.particle = gathered(exec, sorted, places);
    return cores;
}

Buffer<std::int32_t> owners(Exec exec, Index n, const MembersView& members)
{
    AUREOLE_EXPECT(members.n_members <= n, "{} members of {} particles", members.n_members, n);
    Buffer<std::int32_t> owner(exec.backend, n);
    mark_owners(exec, n, members, owner.data());
    return owner;
}

}  // namespace

CatalogueMembers members_by_binding(Exec exec, Index n, const MembersView& members)
{
    return {owners(exec, n, members), first_members(exec, members, members.particle)};
}

CatalogueMembers members_by_distance(Exec exec, const ConstParticlesView& particles,
                                     const MembersView& members, std::span<const Vec3> centre, const Box& box)
{
    AUREOLE_EXPECT(centre.size() == members.n_lists, "{} centres of {} groups", centre.size(),
                   members.n_lists);
    const std::size_t n = members.n_members;
    const Backend where = exec.backend;
    if (n == 0) return {owners(exec, particles.n, members), first_members(exec, members, members.particle)};
    const Buffer<Vec3> centres(where, centre);
    Buffer<std::uint64_t> key(where, n), spare_key(where, n);
    Buffer<Index> value(where, n), spare_value(where, n);
    Buffer<std::byte> scratch(where, sort_pairs_scratch_bytes(where, n));
    SortBuffers pairs{key.data(), spare_key.data(), value.data(), spare_value.data()};
    key_by_distance(exec, particles.position, members, box, centres.data(), pairs);
    sort_pairs(exec, n, pairs, 32 + std::bit_width(members.n_lists), scratch.data());
    return {owners(exec, particles.n, members), first_members(exec, members, pairs.value)};
}

std::vector<std::int32_t> owners_of(Exec exec, const Buffer<std::int32_t>& owner,
                                    std::span<const Index> particle)
{
    for (const Index i : particle)
        AUREOLE_EXPECT(i < owner.size(), "particle {} of {} is looked for", i, owner.size());
    return gathered(exec, owner.data(), particle);
}

PhaseSpace phase_space_of(Exec exec, const ConstParticlesView& particles, std::span<const Index> particle)
{
    const auto vectors = [&](const ConstVec3View& from) {
        const std::vector<double> x = gathered(exec, from.x, particle), y = gathered(exec, from.y, particle),
                                  z = gathered(exec, from.z, particle);
        std::vector<Vec3> result;
        result.reserve(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) result.push_back({x[k], y[k], z[k]});
        return result;
    };
    AUREOLE_EXPECT(!particles.velocity.absent(), "links between catalogues need velocities");
    return {vectors(particles.position), vectors(particles.velocity)};
}

}  // namespace aureole::halo
