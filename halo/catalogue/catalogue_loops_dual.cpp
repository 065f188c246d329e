#include "halo/catalogue/catalogue_loops.hpp"

#include <cstring>

#include "halo/list_segments.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

template <class Value>
void gather_values(Exec exec, Index n, const Index* order, const void* from, void* to)
{
    const auto* const source = static_cast<const Value*>(from);
    auto* const target = static_cast<Value*>(to);
    for_each(exec, n, [=] AUREOLE_HD(Index k) { target[k] = source[order[k]]; });
}

}  // namespace

void scale(Exec exec, Index n, const double* from, double factor, double* to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { to[i] = factor * from[i]; });
}

void flag_unlabelled(Exec exec, Index n, const std::int32_t* label, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { flag[i] = static_cast<std::uint8_t>(label[i] < 0); });
}

void gather(Exec exec, Index n, const Index* order, const void* from, std::size_t bytes_each, void* to)
{
    switch (bytes_each) {
        case 1:
            return gather_values<std::uint8_t>(exec, n, order, from, to);
        case 2:
            return gather_values<std::uint16_t>(exec, n, order, from, to);
        case 4:
            return gather_values<std::uint32_t>(exec, n, order, from, to);
        default:
            return gather_values<std::uint64_t>(exec, n, order, from, to);
    }
}

void first_ids(Exec exec, const ConstParticlesView& particles, const MembersView& members, std::uint64_t* id)
{
    for_each(exec, members.n_lists, [=] AUREOLE_HD(Index l) {
        const std::uint64_t first = members.begin[l];
        if (first == members.begin[l + 1]) {
            id[l] = 0;
            return;
        }
        const Index i = members.particle[first];
        id[l] = particles.id ? particles.id[i] : i;
    });
}

void radial_masses(Exec exec, const ConstParticlesView& particles, const MembersView& members, const Box& box,
                   const Vec3* centre, double* squared, double* mass)
{
    for_each(exec, static_cast<Index>(members.n_members), [=] AUREOLE_HD(Index k) {
        const Index i = members.particle[k];
        const Vec3 d = box.nearest(particles.position.load(i) - centre[segments::list_of_entry(members, k)]);
        squared[k] = dot(d, d);
        mass[k] = particles.mass[i];
    });
}

void mark_owners(Exec exec, Index n, const MembersView& members, std::int32_t* owner)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { owner[i] = -1; });
    for_each(exec, static_cast<Index>(members.n_members), [=] AUREOLE_HD(Index k) {
        owner[members.particle[k]] = static_cast<std::int32_t>(segments::list_of_entry(members, k));
    });
}

void key_by_distance(Exec exec, const ConstVec3View& position, const MembersView& members, const Box& box,
                     const Vec3* centre, const SortBuffers& pairs)
{
    for_each(exec, static_cast<Index>(members.n_members), [=] AUREOLE_HD(Index k) {
        const Index i = members.particle[k], list = segments::list_of_entry(members, k);
        const Vec3 d = box.nearest(position.load(i) - centre[list]);
        const auto squared = static_cast<float>(dot(d, d));  // at least 0: its bits rise with it
        std::uint32_t bits = 0;
        memcpy(&bits, &squared, sizeof bits);
        pairs.key[k] = (static_cast<std::uint64_t>(list) << 32) | bits;
        pairs.value[k] = i;
    });
}

}  // namespace aureole::halo
