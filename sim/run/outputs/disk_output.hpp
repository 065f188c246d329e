// Tables of a disk at listed times of a run: what `aureole analyse` makes of a snapshot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/analysis/disk_view.hpp"
#include "sim/config/config.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/table.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::run {

/// One of disk_table_names with its numbers, in the run's units.
struct DiskOutput {
    std::string name;
    Table table;
};

/// The tables that `disks.tables` lists of the state `particles`, on the backend of `exec` and in internal
/// units. Throws ConfigError where the disk has no extent.
std::vector<DiskOutput> disk_outputs(const Config& internal, const RunUnits& units, Exec exec,
                                     const ConstParticlesView& particles, double time);

/// The table of torques: component_torques() by `direct` or `tree`, whichever is the faster one for so many
/// particles, with the softening, the precision, the settings of the tree and the external fields of
/// `internal`, at `time`; all times `gravitational_constant`.
Table torques_of(const Config& internal, Exec exec, const ConstParticlesView& particles,
                 const DiskFrame& frame, double time, double gravitational_constant);

/// Writes each as disk_NAME_NNN.csv and .hdf5 into `directory`; `time` in internal units. Returns the names
/// of the latter, with a space before each. Throws IoError.
std::string write_disk_outputs(const std::vector<DiskOutput>& outputs, const std::filesystem::path& directory,
                               unsigned number, const RunUnits& units, double time,
                               const io::Provenance& provenance);

/// Throws ConfigError where the run writes such tables, but `host`, its first state in host memory, has no
/// disk.
void expect_disk(const Config& internal, const ConstParticlesView& host);

/// What the tables take beside the particles, for a forecast: those of a disk of all `n` particles.
memory::Part disk_memory(Backend where, std::uint64_t n, const Config& internal);

}  // namespace aureole::run
