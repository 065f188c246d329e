#include "halo/parts/domain_map.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

/// The domain of a cell and of all that touch it, where they have one; a cell beyond an open cube is as the
/// nearest one inside.
AUREOLE_HD std::uint8_t domain_around(const DomainMap& map, const std::uint8_t* alone, Index cell)
{
    const int bits = map.table_level;
    const int side = 1 << bits, mask = side - 1;
    const int at[3] = {static_cast<int>(cell) & mask, static_cast<int>(cell >> bits) & mask,
                       static_cast<int>(cell >> 2 * bits)};
    for (int neighbour = 0; neighbour < 27; ++neighbour) {
        const int step[3] = {neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1};
        Index index = 0;
        for (int axis = 2; axis >= 0; --axis) {
            int place = at[axis] + step[axis];
            if (map.box.periodic())
                place &= mask;
            else
                place = place < 0 ? 0 : place > mask ? mask : place;
            index = index << bits | static_cast<Index>(place);
        }
        if (alone[index] != alone[cell]) return near_others;
    }
    return alone[cell];
}

}  // namespace

void make_sample_keys(Exec exec, const DomainMap& from, const ConstParticlesView& particles, Index stride,
                      Index n, std::uint64_t* keys)
{
    const DomainMap map = from;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        // anywhere in its stretch: what repeats in the input is not met at the same place each time
        const auto step = static_cast<Index>((k * std::uint64_t{0x9E3779B97F4A7C15}) >> 32) % stride;
        const Index i = k * stride + step;
        keys[k] = map.key(map.box.wrap(particles.position.load(i < particles.n ? i : particles.n - 1)));
    });
}

void fill_domain_table(Exec exec, const DomainMap& from, std::uint8_t* alone, std::uint8_t* table)
{
    const DomainMap map = from;
    const Index cells = Index{1} << (3 * map.table_level);
    for_each(exec, cells, [=] AUREOLE_HD(Index cell) {
        const int bits = map.table_level;
        const Index mask = (Index{1} << bits) - 1;
        std::uint32_t at[3] = {cell & mask, cell >> bits & mask, cell >> 2 * bits};
        const std::uint64_t domains = map.domains_of_cell(at, bits);
        int first = 0;
        while (!(domains >> first & 1)) ++first;
        alone[cell] = (domains & (domains - 1)) == 0 ? static_cast<std::uint8_t>(first) : near_others;
    });
    for_each(exec, cells, [=] AUREOLE_HD(Index cell) { table[cell] = domain_around(map, alone, cell); });
}

}  // namespace aureole::halo
