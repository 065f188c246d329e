// Fields on a grid from particles: the entry point of the module for uniform grids.
#pragma once

#include <optional>
#include <string_view>

#include "density/deposit/density_grid.hpp"
#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

enum class Method {
    tetrahedra,          ///< exact overlap of phase-space tetrahedra with cells (Abel, Hahn & Kaehler 2012)
    nearest_grid_point,  ///< NGP: a particle gives its mass to the cell that it lies in
    cloud_in_cell,       ///< CIC: a particle is a cube of the size of a cell
    triangular_shaped_cloud,  ///< TSC: CIC smoothed once more (Hockney & Eastwood 1988, section 5.3)
};

/// "tetrahedra", "ngp", "cic" or "tsc".
const char* name_of(Method method);
/// The method of one of these names, or of "elements", an accepted alias of "tetrahedra"; none for other
/// names.
std::optional<Method> method_of(std::string_view name);
/// The value of the attribute `Method` of files: name_of(method), but "elements" for tetrahedra, as files of
/// the first releases have it.
const char* attribute_of(Method method);

struct DepositConfig {
    Method method = Method::tetrahedra;
    Grid grid;
    Fields fields;
    LatticeChoice lattice;                              ///< for Method::tetrahedra
    Precision precision = Precision::double_precision;  ///< of tetrahedra on a GPU
    bool shared = false;  ///< Tetrahedra on a GPU: CPU threads deposit blocks of the lattice too. Timing
                          ///< decides which blocks, so the last bits of cells vary.
    Progress progress{};  ///< reports the fraction done and may stop the deposit between blocks of work
};

/// The precision that a backend uses on the request `wanted`: the CPU always uses double, as float is no
/// faster there.
inline Precision precision_on(Backend backend, Precision wanted)
{
    return backend == Backend::cpu ? Precision::double_precision : wanted;
}

/// Deposits particles of host memory onto `config.grid`; the sums are made on exec's backend. Reads masses
/// and positions, velocities for velocity or dispersion, and for tetrahedra ids and, where there are any,
/// types. Bits are the same for any number of threads and any order of the particles. NGP, CIC and TSC agree
/// bit for bit on every backend; with tetrahedra a cell differs by some 1e-15 of the mass of a tetrahedron.
/// Throws aureole::Error for an empty grid, one larger than the box or finer than 2^-32 of it, for tetrahedra
/// in an open box, for streams with another method, for velocities that are asked for and absent, for
/// particles that are not finite or far outside the box, and what make_lattice() throws; throws Stopped when
/// config.progress asks for it. Cost: O(N cells that a tetrahedron overlaps).
DensityGrid deposit(Exec exec, const ConstParticlesView& particles, const DepositConfig& config);

// For deposits over ranks (density/ranks), the steps of deposit().

/// Throws what deposit() throws for a grid or fields that cannot be.
void expect_possible(const DepositConfig& config);
/// The largest mass of the particles, or 0; throws Error naming one that is no mass.
double largest_mass(const ConstParticlesView& particles);
/// Adds particles of host memory to sums of exec's backend by NGP, CIC or TSC, in units of `mass` and
/// `speed`.
void assign_particles(Exec exec, const ConstParticlesView& particles, const DepositConfig& config,
                      const SumUnits& units, FixedSum* sums);

/// Memory of a deposit beside the particles, bytes.
struct DepositMemory {
    Backend backend;
    std::size_t cells;   ///< sums and stream counts, on the host and on the device
    std::size_t order;   ///< of the particles in the lattice while it is made, on the host
    std::size_t chunks;  ///< of particles on their way to the device, on both; 0 on the CPU

    std::size_t host() const { return cells + order + chunks; }
    std::size_t device() const { return backend == Backend::cpu ? 0 : cells + chunks; }
};

DepositMemory deposit_memory(Backend backend, const DepositConfig& config, std::size_t n_particles);

}  // namespace aureole::density
