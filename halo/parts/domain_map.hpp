// Which part of space belongs to which part of a search, on either backend: runs of a Hilbert curve through a
// cube, and the parts that lie within a linking length of a point.
#pragma once

#include <cstdint>

#include "sim/core/backend.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo {

inline constexpr int most_parts = 64;  ///< one bit each
inline constexpr std::uint8_t near_others = 0xff;

/// Domains 0 to n_cuts. Copied into kernels.
struct DomainMap {
    Vec3 low{};                   ///< corner of the cube
    double cells_per_length = 0;  ///< of 2^21 cells along an axis; 0 when all points are in one place
    Box box{};
    double reach = 0;  ///< the linking length and what rounding may add
    int level = 0;     ///< cells of 2^-level of the cube are at least two reaches wide
    int n_cuts = 0;
    std::uint64_t cut[most_parts - 1] = {};  ///< first keys of all domains but the first, rising
    int table_level = 0;
    /// Per cell of 2^-table_level of the cube, x first: the domain that it and all cells around it are in, or
    /// near_others.
    const std::uint8_t* table = nullptr;

    AUREOLE_HD std::uint32_t cell(double x, double origin) const
    {
        return cell_number((x - origin) * cells_per_length, key_bits);
    }
    AUREOLE_HD std::uint64_t key(Vec3 x) const
    {
        std::uint32_t at[3] = {cell(x.x, low.x), cell(x.y, low.y), cell(x.z, low.z)};
        return hilbert_key(at, key_bits);
    }
    AUREOLE_HD int domain_of_key(std::uint64_t key) const
    {
        int first = 0;
        for (int count = n_cuts; count > 0;) {
            const int half = count / 2;
            if (cut[first + half] <= key) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }
    /// Of a wrapped position.
    AUREOLE_HD std::uint8_t in_table(Vec3 x) const
    {
        const int shift = key_bits - table_level;
        const std::uint32_t i = cell(x.x, low.x) >> shift, j = cell(x.y, low.y) >> shift,
                            k = cell(x.z, low.z) >> shift;
        return table[((k << table_level | j) << table_level) | i];
    }

    /// The domains of a cell of 2^-depth of the cube, as bits.
    AUREOLE_HD std::uint64_t domains_of_cell(std::uint32_t (&at)[3], int depth) const
    {
        const int below = 3 * (key_bits - depth);
        const std::uint64_t first = hilbert_key(at, depth) << below;
        const std::uint64_t last = first | ((std::uint64_t{1} << below) - 1);
        const int a = domain_of_key(first), b = domain_of_key(last);
        return (~std::uint64_t{0} >> (63 - b)) & (~std::uint64_t{0} << a);
    }

    /// Domains in which friends of a point at a wrapped position may lie, as bits: never one too few.
    AUREOLE_HD std::uint64_t domains_near(Vec3 x) const
    {
        std::uint32_t at[3][2];
        find_cells(x.x, low.x, at[0]);
        find_cells(x.y, low.y, at[1]);
        find_cells(x.z, low.z, at[2]);
        std::uint64_t domains = 0;
        for (int corner = 0; corner < 8; ++corner) {
            if (repeats(at, corner)) continue;
            std::uint32_t of_corner[3] = {at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2]};
            domains |= domains_of_cell(of_corner, level);
        }
        return domains;
    }

private:
    /// A corner with the second of two equal cells.
    AUREOLE_HD static bool repeats(const std::uint32_t (&at)[3][2], int corner)
    {
        for (int axis = 0; axis < 3; ++axis)
            if ((corner >> axis & 1) != 0 && at[axis][0] == at[axis][1]) return true;
        return false;
    }
    AUREOLE_HD void find_cells(double x, double origin, std::uint32_t (&at)[2]) const
    {
        double below = x - reach, above = x + reach;
        if (box.periodic() && below < 0) below += box.side;
        if (box.periodic() && above >= box.side) above -= box.side;
        at[0] = cell(below, origin) >> (key_bits - level);
        at[1] = cell(above, origin) >> (key_bits - level);
    }
};

/// keys[k] = key of a particle among the `stride` ones from k * stride on, k < n.
void make_sample_keys(Exec exec, const DomainMap& map, const ConstParticlesView& particles, Index stride,
                      Index n, std::uint64_t* keys);

/// Fills the table of a map; `alone` has memory for as many cells.
void fill_domain_table(Exec exec, const DomainMap& map, std::uint8_t* alone, std::uint8_t* table);

}  // namespace aureole::halo
