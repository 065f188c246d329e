#include "halo/parts/domain_map.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
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

void fill_domain_table(Exec exec, const DomainMap& from, std::uint8_t* table)
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
        table[cell] = (domains & (domains - 1)) == 0 ? static_cast<std::uint8_t>(first) : near_others;
    });
}

}  // namespace aureole::halo
