// Densities on grids as files: what runs write, and `aureole density`.
#pragma once

#include <optional>

#include "density/deposit/deposit.hpp"
#include "density/ranks/ranked_density.hpp"
#include "sim/config/config.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::run {

/// A deposit with what its file tells of it.
struct DensityOutput {
    density::DepositConfig config;
    density::DensityGrid grid;
    bool mass;  ///< whether Density is among the fields
    std::size_t n_particles;
    Backend backend;
    /// By the volumes of all tetrahedra, where streams are counted on a grid over the whole box.
    std::optional<double> mean_streams{};
};

/// density::deposit(), which says what it throws, of particles in host memory.
DensityOutput make_density(Exec exec, const ConstParticlesView& host, const density::DepositConfig& config,
                           bool mass);
/// The same by all ranks, on rank 0: density::ranked_deposit().
DensityOutput make_density(const density::DensityRanks& ranks, const ConstParticlesView& host,
                           const density::DepositConfig& config, bool mass, density::Split split);

/// Geometry, fields and settings of a file of `made`, which outlives them: Density where `mass`, and the
/// fields of the deposit; Method, BoxSize, CellVolume, TotalMass, Particles, and of tetrahedra LatticeSide,
/// LatticeAxes, FirstID, Precision and SignedVolume.
io::GridContent grid_content(const DensityOutput& made);

/// Where streams are counted, the table StreamVolumeFractions and the setting MeanStreams.
void append_streams(io::GridContent& content, const DensityOutput& made);

/// Time, Redshift, Comoving, HubbleParam and the units of `header`, "of the snapshot", or "nbody".
void append_units(io::Attributes& settings, const io::SnapshotHeader& header,
                  const std::optional<UnitSystem>& units);

// Of runs: particles in the numbers that the run's snapshots have, on a grid over the box. So a file holds
// what `aureole density` makes of the snapshot of that time, bit for bit.

/// Cells along an axis: as many as particles where the configuration leaves it open.
std::uint32_t density_cells(const DensityConfig& config, std::uint64_t n_particles);

/// The density of the state at `time`; `host` in internal units and host memory. Throws what
/// density::deposit() throws, Stopped by `progress` among it.
DensityOutput density_of_run(Exec exec, const ConstParticlesView& host, const Config& internal,
                             const RunUnits& units, double time, const Progress& progress = {});

/// Writes it to `file`; throws IoError.
void write_density(const std::filesystem::path& file, const DensityOutput& made, const Config& internal,
                   const RunUnits& units, double time, const io::Provenance& provenance);

/// Throws ConfigError unless the run can make the densities that it lists: in a periodic box, and for
/// tetrahedra of a number of particles that fills a lattice.
void expect_density_possible(const Config& internal, std::uint64_t n_particles);

/// Throws ConfigError for tetrahedra of particles, in host memory, whose ids are not the sites of a lattice.
/// Cost: O(N).
void expect_sheet(const Config& internal, const ConstParticlesView& host);

/// What a density takes beside the particles, on the host also in a run on a GPU, for a forecast.
memory::Part density_memory(const Config& internal, Backend where, std::uint64_t n);

}  // namespace aureole::run
