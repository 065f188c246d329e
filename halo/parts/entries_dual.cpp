#include "halo/parts/entries.hpp"

#include "halo/particle_summary.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void look_up_domains(Exec exec, const DomainMap& from, const ConstParticlesView& particles,
                     const PointParts& points)
{
    const DomainMap map = from;
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        const std::uint8_t domain =
            map.n_cuts == 0 ? std::uint8_t{0} : map.in_table(map.box.wrap(particles.position.load(i)));
        points.domain[i] = domain;
        points.flag[i] = domain == near_others ? 1 : 0;
    });
}

void find_ghosts(Exec exec, const DomainMap& from, const ConstParticlesView& particles,
                 std::uint8_t linking_types, bool both_ways, const PointParts& points)
{
    const DomainMap map = from;
    Index* const n_ghosts = points.n_near + 1;
    for_each(exec, points.n, [=] AUREOLE_HD(Index k) {
        if (k >= *points.n_near) return;
        const Index i = points.near[k];
        const Vec3 x = map.box.wrap(particles.position.load(i));
        const int own = map.domain_of_key(map.key(x));
        std::uint64_t ghosts = 0;
        if (type_links(linking_types, particles.type_of(i)))
            ghosts = map.domains_near(x) & ~(std::uint64_t{1} << own);
        if (!both_ways) ghosts &= ~std::uint64_t{0} << own;
        Index n = 0;
        for (std::uint64_t rest = ghosts; rest != 0; rest &= rest - 1) ++n;
        points.ghosts[k] = ghosts;
        const Index place = n > 0 ? atomic_add(n_ghosts, n) : 0;
        if (place + n < place) n_ghosts[1] = 1;
        points.place[k] = place;
        points.domain[i] = static_cast<std::uint8_t>(own | (n > 0 ? shared_domain : 0));
    });
}

void list_entries(Exec exec, const PointParts& points, std::uint64_t* key, Index* value)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        key[i] = 2 * static_cast<std::uint64_t>(points.domain[i] & ~shared_domain);
        value[i] = i;
    });
    for_each(exec, points.n, [=] AUREOLE_HD(Index k) {
        if (k >= *points.n_near) return;
        Index place = points.n + points.place[k];
        for (int part = 0; part < most_parts; ++part) {
            if (!(points.ghosts[k] >> part & 1)) continue;
            key[place] = 2 * static_cast<std::uint64_t>(part) + 1;
            value[place++] = points.near[k];
        }
    });
}

void find_part_ends(Exec exec, const std::uint64_t* key, Index n_entries, int n_parts, Index* ends)
{
    for_each(exec, static_cast<Index>(n_parts + 1), [=] AUREOLE_HD(Index part) {
        Index first = 0;
        for (Index count = n_entries; count > 0;) {
            const Index half = count / 2;
            if (key[first + half] < 2 * std::uint64_t{part}) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        ends[part] = first;
    });
}

void gather_entries(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                    const PointParts& points, const std::uint64_t* key, const Index* value, Index n_entries,
                    Index first_index, const EntryArrays& to)
{
    const Box box = config.box;
    const std::uint8_t linking_types = config.linking_types;
    for_each(exec, n_entries, [=] AUREOLE_HD(Index e) {
        const Index i = value[e];
        to.position.store(e, box.wrap(particles.position.load(i)));
        if (to.velocity.x) to.velocity.store(e, particles.velocity.load(i));
        if (to.id) to.id[e] = particles.id ? particles.id[i] : std::uint64_t{first_index} + i;
        to.index[e] = first_index + i;
        int flags = type_links(linking_types, particles.type_of(i)) ? entry_links : 0;
        if (key[e] & 1)
            flags |= entry_ghost;
        else if (points.domain[i] & shared_domain)
            flags |= entry_shared;
        to.flags[e] = static_cast<std::uint8_t>(flags);
    });
}

}  // namespace aureole::halo
