// The door of the room: particles in, fields on a grid out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "density/deposit/precision.hpp"
#include "density/fixed_sums.hpp"
#include "density/grid.hpp"
#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

enum class Method {
    elements,            ///< tetrahedra of the phase-space sheet (Abel, Hahn & Kaehler 2012), exact overlap
    nearest_grid_point,  ///< a particle in one cell
    cloud_in_cell,       ///< a particle as a cube of a cell's size
    triangular_shaped_cloud,  ///< that smoothed once more (Hockney & Eastwood 1988, section 5.3)
};

const char* name_of(Method method);

/// What is wanted beside the mass.
struct Fields {
    bool velocity = false;  ///< mean of the mass in the cell
    bool dispersion =
        false;             ///< variance of the velocity of the mass in the cell, its bulk gradient included
    bool streams = false;  ///< tetrahedra at the cell's centre; method elements only

    bool moments() const { return velocity || dispersion; }
    int sums_per_cell() const { return moments() ? 5 : 1; }
    /// Of a cell's sums and stream count while they are added up.
    std::size_t bytes_per_cell() const
    {
        return static_cast<std::size_t>(sums_per_cell()) * sizeof(FixedSum) + (streams ? sizeof(Index) : 0);
    }
};

struct DepositConfig {
    Method method = Method::elements;
    Grid grid;
    Fields fields;
    LatticeChoice lattice;                              ///< method elements
    Precision precision = Precision::double_precision;  ///< of elements on a GPU
    bool shared = false;  ///< elements on a GPU: threads of the host take blocks too. Who takes which depends
                          ///< on the moment, and the last bits of cells with it
    std::function<void(double)>
        progress{};  ///< is told the fraction done, now and then, by the calling thread
};

/// Fields of a grid, in the units of the particles; cells with z running fastest.
class DensityGrid {
public:
    DensityGrid(const DepositConfig& config, double element_mass, double speed_unit);

    const Grid& grid() const { return grid_; }
    const Fields& fields() const { return fields_; }

    double mass(std::int64_t cell) const { return element_mass_ * sum(cell, 0); }
    Vec3 momentum(std::int64_t cell) const;
    /// NaN where there is no mass.
    Vec3 velocity(std::int64_t cell) const;
    /// One-dimensional: the root of a third of the variance of the velocity's vector. NaN where there is no
    /// mass.
    double dispersion(std::int64_t cell) const;
    Index streams(std::int64_t cell) const { return streams_.data()[cell]; }

    /// Exact sums over all cells, rounded once.
    double total_mass() const;
    Vec3 total_momentum() const;

    // method elements
    std::string lattice_axes;  ///< from slowest to fastest
    std::uint64_t first_id = 0;
    Index lattice_side = 0;
    std::uint64_t elements = 0;  ///< how many tetrahedra
    double signed_volume = 0;    ///< of all, in boxes: 1 when the sheet is closed

    // for those who deposit
    void clear();  ///< new ones hold any numbers
    FixedSum* sums() { return sums_.data(); }
    Index* stream_counts() { return streams_.data(); }

private:
    double sum(std::int64_t cell, int s) const { return sums_.data()[cell * n_sums_ + s].value(); }
    double total(int s) const;

    Grid grid_;
    Fields fields_;
    int n_sums_;
    double element_mass_, speed_unit_;
    Buffer<FixedSum> sums_;
    Buffer<Index> streams_;
};

/// The fields that `config` asks for, of host particles, summed on exec's backend. The bits are the same for
/// any number of threads and any order of the particles; those of clouds also on each backend, where those of
/// elements differ by some 1e-15 of an element's mass a cell. Throws aureole::Error for grids that are none,
/// larger than the box or finer than 2^-32 of it, open boxes or streams where the method knows none,
/// particles that are not finite or far outside, and what make_lattice() says. O(N cells of a tetrahedron).
DensityGrid deposit(Exec exec, const ParticlesView& particles, const DepositConfig& config);

/// Beyond the particles, bytes.
struct DepositMemory {
    Backend backend;
    std::size_t cells;   ///< sums and streams, on the device and on the host
    std::size_t order;   ///< of the lattice, while it is made, on the host
    std::size_t chunks;  ///< on their way to the device, there and on the host; 0 where there is none

    std::size_t host() const { return cells + order + chunks; }
    std::size_t device() const { return backend == Backend::cpu ? 0 : cells + chunks; }
};

DepositMemory deposit_memory(Backend backend, const DepositConfig& config, std::size_t n_particles);

}  // namespace aureole::density
