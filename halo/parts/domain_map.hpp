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
    /// Per cell of 2^-table_level of the cube, x first: the domain that all of it is in, or near_others.
    /// Cells are at least two reaches wide.
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
    /// The domain that everything within reach of a wrapped position is in, or near_others.
    AUREOLE_HD std::uint8_t in_table(Vec3 x) const
    {
        std::uint32_t at[3][2];
        find_cells(x, table_level, at);
        const std::uint8_t first = table[(at[2][0] << table_level | at[1][0]) << table_level | at[0][0]];
        for (int corner = 1; corner < 8; ++corner) {
            if (repeats(at, corner)) continue;
            const std::uint32_t i = at[0][corner & 1], j = at[1][corner >> 1 & 1], k = at[2][corner >> 2];
            if (table[(k << table_level | j) << table_level | i] != first) return near_others;
        }
        return first;
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
        find_cells(x, level, at);
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
    /// The cells of 2^-depth of the cube that lie a reach below and above.
    AUREOLE_HD void find_cells(Vec3 x, int depth, std::uint32_t (&at)[3][2]) const
    {
        find_cells(x.x, low.x, depth, at[0]);
        find_cells(x.y, low.y, depth, at[1]);
        find_cells(x.z, low.z, depth, at[2]);
    }
    AUREOLE_HD void find_cells(double x, double origin, int depth, std::uint32_t (&at)[2]) const
    {
        double below = x - reach, above = x + reach;
        if (box.periodic() && below < 0) below += box.side;
        if (box.periodic() && above >= box.side) above -= box.side;
        at[0] = cell(below, origin) >> (key_bits - depth);
        at[1] = cell(above, origin) >> (key_bits - depth);
    }
};

/// keys[k] = key of a particle among the `stride` ones from k * stride on, k < n.
void make_sample_keys(Exec exec, const DomainMap& map, const ConstParticlesView& particles, Index stride,
                      Index n, std::uint64_t* keys);

/// Fills the table of a map.
void fill_domain_table(Exec exec, const DomainMap& map, std::uint8_t* table);

}  // namespace aureole::halo
