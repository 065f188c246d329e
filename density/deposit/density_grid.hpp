// The fields of a grid of cells: mass, velocity, velocity dispersion and number of streams.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "density/grid.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/sums/fixed_sum.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::density {

/// The unit of speed of fixed-point sums: the power of two above the largest speed of host particles, 1 when
/// all are at rest. Throws aureole::Error naming the first particle whose velocity is not finite.
double speed_unit(const ConstParticlesView& particles);
/// The two steps of it: the largest speed, and the unit where that is the largest of all.
double fastest_of(const ConstParticlesView& particles);
double speed_unit_of(double fastest);

/// Momentum over mass in any units; NaN without mass.
inline Vec3 mean_velocity(double mass, Vec3 momentum)
{
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    if (!(mass > 0)) return {nothing, nothing, nothing};
    return 1 / mass * momentum;
}

/// One-dimensional velocity dispersion sqrt((<v^2> - <v>^2) / 3); `squares` is the sum of mass times squared
/// speed. NaN without mass.
inline double one_dimensional_dispersion(double mass, Vec3 momentum, double squares)
{
    if (!(mass > 0)) return std::numeric_limits<double>::quiet_NaN();
    const Vec3 mean = 1 / mass * momentum;
    return std::sqrt(std::fmax(0.0, squares / mass - dot(mean, mean)) / 3);
}

/// The fields that are computed beside the mass.
struct Fields {
    bool velocity = false;    ///< mass-weighted mean velocity of a cell
    bool dispersion = false;  ///< velocity dispersion of a cell, the gradient of its bulk velocity included
    bool streams =
        false;  ///< number of tetrahedra that contain the centre of a cell; Method::tetrahedra only

    bool moments() const { return velocity || dispersion; }
    int sums_per_cell() const { return moments() ? 5 : 1; }
    /// Bytes of the sums and of the stream count of a cell during a deposit.
    std::size_t bytes_per_cell() const
    {
        return static_cast<std::size_t>(sums_per_cell()) * sizeof(FixedSum) + (streams ? sizeof(Index) : 0);
    }
};

/// The units of the fixed-point sums of a deposit.
struct SumUnits {
    double mass = 1;   ///< the mass of one tetrahedron, or of the most massive particle
    double speed = 1;  ///< see speed_unit()
};

/// Fields of a grid in host memory and in the units of the particles. Cells are numbered with z fastest.
class DensityGrid {
public:
    DensityGrid(const Grid& grid, const Fields& fields, SumUnits units);

    const Grid& grid() const { return grid_; }
    const Fields& fields() const { return fields_; }

    double mass(std::int64_t cell) const { return units_.mass * sum(cell, 0); }
    Vec3 momentum(std::int64_t cell) const;
    /// NaN in a cell without mass.
    Vec3 velocity(std::int64_t cell) const;
    /// One-dimensional dispersion sqrt((<v^2> - <v>^2) / 3) of all mass in the cell; NaN in a cell without
    /// mass.
    double dispersion(std::int64_t cell) const;
    Index streams(std::int64_t cell) const { return streams_.data()[cell]; }

    /// Exact sums over all cells, rounded once. Cost: O(cells).
    double total_mass() const;
    Vec3 total_momentum() const;

    // Set by a deposit of Method::tetrahedra.
    std::string lattice_axes;  ///< axes of the lattice from slowest to fastest
    std::uint64_t first_id = 0;
    Index lattice_side = 0;
    std::uint64_t tetrahedra = 0;  ///< number of tetrahedra
    double signed_volume = 0;  ///< sum over all tetrahedra in units of the box: 1 when the sheet is closed

    // For the code that deposits.
    void clear();  ///< sets all sums to zero; they are uninitialised before
    FixedSum* sums() { return sums_.data(); }
    Index* stream_counts() { return streams_.data(); }

private:
    double sum(std::int64_t cell, int s) const { return sums_.data()[cell * n_sums_ + s].value(); }
    double total(int s) const;

    Grid grid_;
    Fields fields_;
    int n_sums_;
    SumUnits units_;
    Buffer<FixedSum> sums_;
    Buffer<Index> streams_;
};

/// The fraction of the volume in which there are `streams` streams.
struct StreamVolume {
    Index streams;
    double fraction;
};

/// Volume fractions by rising number of streams, counted at the centres of the cells of a grid that has the
/// field `streams`: an estimate that converges as cells shrink. The fractions add up to 1. Cost: O(cells).
std::vector<StreamVolume> stream_volumes(const DensityGrid& grid);

}  // namespace aureole::density
