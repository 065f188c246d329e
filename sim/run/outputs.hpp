// What a run writes besides its logs: numbered snapshots, halo catalogues and pictures, with one counter for
// them all, and the coefficients of its expansions.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/io/catalogue_file.hpp"
#include "sim/run/cadence.hpp"
#include "sim/run/coefficient_output.hpp"
#include "sim/run/diagnostics.hpp"
#include "sim/run/halo_files.hpp"
#include "sim/run/halo_search.hpp"
#include "sim/run/picture.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// Name-value pairs that go into every file's /Provenance.
using io::Provenance;

/// snapshot_007.hdf5, projection_007.png
std::filesystem::path snapshot_name(unsigned number);
std::filesystem::path picture_name(unsigned number);

class Outputs {
public:
    /// `config` as the user wrote it, with units settled; `internal` the same in internal units.
    Outputs(std::filesystem::path directory, const Config& config, const Config& internal,
            Provenance provenance);

    /// Writes what is wanted of the present state under the next number. A halo output writes its snapshot
    /// too, sorted by group. Returns the line for the log.
    std::string write(Simulation& simulation, const Wanted& wanted, Timers& timers, Diagnostics& diagnostics);

private:
    void write_snapshot(const Particles& host, double time, std::span<const std::int32_t> labels) const;
    void write_picture(const Particles& host, double time, const Table* groups);
    io::SnapshotHeader header(double time) const;
    HaloSurroundings surroundings() const;
    HaloFiles halo_files() const;

    std::filesystem::path directory_;
    const Config& config_;
    const Config& internal_;
    RunUnits units_;
    Provenance provenance_;
    CoefficientOutput coefficients_;
    halo::FriendsOfFriends finder_;
    std::optional<HaloSearch> search_;
    std::optional<PictureOptions> frame_;  ///< of the first picture, kept
    unsigned next_ = 0;
};

}  // namespace aureole::run
