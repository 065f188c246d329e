// The outputs of a run apart from its logs: snapshots, halo catalogues, spectra, densities and pictures,
// which are numbered by one counter, and the coefficients of its expansions.
#pragma once

#include <array>
#include <filesystem>
#include <optional>

#include "sim/analysis/halo_files.hpp"
#include "sim/analysis/halo_search.hpp"
#include "sim/analysis/statistics_files.hpp"
#include "sim/core/progress.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/run/diagnostics/diagnostics.hpp"
#include "sim/run/outputs/background_write.hpp"
#include "sim/run/outputs/coefficient_output.hpp"
#include "sim/run/outputs/density_output.hpp"
#include "sim/run/outputs/disk_output.hpp"
#include "sim/run/outputs/output_schedule.hpp"
#include "sim/run/outputs/picture_output.hpp"
#include "sim/run/outputs/tree_output.hpp"
#include "sim/run/run_callbacks.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// Name-value pairs that go into every file's /Provenance.
using io::Provenance;

/// What the outputs keep between two of them.
struct OutputsState {
    unsigned next = 0;  ///< number of the next one
    using Frame = PictureFrame;
    std::optional<Frame> frame;  ///< of the pictures
    std::optional<Frame> zoom;   ///< of the second picture of each time
    CoefficientOutput::Series coefficients;
    halo::HaloTracker::State trees;  ///< of the last catalogues, where halos are followed
};

/// The time, in internal units, of the last numbered snapshot in a run's directory; minus infinity where none
/// can be read. It is the last file of its output: those of the same number are complete as well.
double last_snapshot_time(const std::filesystem::path& directory, const Config& config);

class Outputs {
public:
    /// `config` as the user wrote it, with units settled; `internal` the same in internal units.
    Outputs(std::filesystem::path directory, const Config& config, const Config& internal,
            Provenance provenance);

    /// Writes the coefficients of the present state; returns the names of their files. A second call at the
    /// same time writes nothing.
    std::string write_coefficients(Simulation& simulation, Timers& timers);

    /// Writes what is due of the present state under the next number, apart from coefficients. Where a
    /// snapshot and a catalogue are due, the snapshot is sorted by group. Returns what the log says of it.
    /// The snapshot may still be on its way: finish() comes before the next output by the HDF5 library, and
    /// before the simulation makes another copy of its particles. All is computed before anything is written:
    /// where `progress` stops the search or the picture, Stopped is thrown, no file is there, and the next
    /// call does all of it.
    std::string write(Simulation& simulation, const DueOutputs& due, Timers& timers, Diagnostics& diagnostics,
                      const Progress& progress = {});

    /// Waits for the snapshot that is being written; throws IoError when it could not be.
    void finish() { background_.wait(); }
    bool snapshot_ended() const { return background_.ended(); }  ///< finish() would not wait

    /// The same for the picture. Pictures depend on nothing that a run changes: only the next one and the end
    /// of a run wait for them.
    void finish_picture() { pictures_.writing().wait(); }
    bool picture_ended() const { return pictures_.writing().ended(); }

    /// What is being written now, for another thread that waits for it.
    std::array<std::shared_future<void>, 2> pending() const
    {
        return {background_.pending(), pictures_.writing().pending()};
    }

    /// A picture of the present state for a program that looks on: written nowhere, and kept apart from the
    /// run's own pictures. The first along an axis, in these colours, decides the frame of the next ones.
    DrawnPicture frame(Simulation& simulation, const FrameRequest& request)
    {
        return pictures_.requested(simulation, request);
    }

    /// Writes a snapshot without a number, named after the step; the run goes on as if it had not been
    /// written. Needs no valid potentials. Returns its name.
    std::filesystem::path write_extra(Simulation& simulation, std::uint64_t step) const;

    /// Writes the present state, whatever its numbers are, with accelerations and without potentials;
    /// `message` becomes the attribute Failure of its /Provenance. Returns its name.
    std::filesystem::path write_failed(Simulation& simulation, std::uint64_t step,
                                       const std::string& message) const;

    OutputsState state() const;
    void restore(OutputsState state);

    /// At the end of a run whose halos are followed: the trees of all its catalogues. Returns what the log
    /// says of it, nothing in other runs.
    std::string write_trees(Timers& timers);

    /// Of a run that goes on: cuts the files that grow back to what was restored.
    void cut_back() { coefficients_.cut_back(); }

private:
    void begin_snapshot(Simulation& simulation, std::optional<HaloCatalogue> found);
    io::SnapshotContent content(const Particles& host, double time) const;
    /// The snapshot with this stem in the run's format.
    std::filesystem::path snapshot_file(const std::string& stem) const;
    /// Its files, of the number that the configuration says, and what the log calls them.
    void write_files(const std::string& stem, const Particles& host, io::SnapshotContent content) const;
    std::string snapshot_text(const std::string& stem) const;
    /// All of that snapshot.
    void write_snapshot(const std::string& stem, const Particles& host, double time,
                        std::span<const std::int32_t> labels) const;
    /// The same with what output.snapshots and output.mantissa_bits choose; with labels, of all particles.
    void write_chosen(const std::string& stem, const Particles& host, double time,
                      std::span<const std::int32_t> labels) const;
    halo::GroupsView find_groups(Simulation& simulation, const Progress& progress);
    /// Where spectra_backend() says; on the host, too, where a GPU turns out to have less memory.
    PowerSpectrum spectrum(Simulation& simulation, const Progress& progress);
    std::string made_where(const PowerSpectrum& spectrum, Backend computes) const;
    void write_spectrum(const PowerSpectrum& spectrum, double time);
    void write_mass_function(const Table& groups, double time);
    const LinearTheory* theory();
    HaloContext halo_context(double time) const;
    HaloFiles halo_files() const;

    std::filesystem::path directory_;
    const Config& config_;
    const Config& internal_;
    RunUnits units_;
    Provenance provenance_;
    const io::SnapshotFormat& format_;  ///< that the configuration names
    std::unique_ptr<io::SnapshotWriter> writer_;
    CoefficientOutput coefficients_;
    std::optional<HaloSearch> search_;
    std::unique_ptr<halo::Finder> finder_;  ///< of that search, with its scratch
    CatalogueMaker catalogues_;
    TreeOutput trees_;
    std::optional<LinearTheory> theory_;
    Backend spectra_planned_ = Backend::cpu;  ///< where the last spectrum was to be made
    unsigned next_ = 0;
    BackgroundWrite background_;  ///< of snapshots
    PictureOutput pictures_;      ///< last, as the one before: they end before what they read
};

}  // namespace aureole::run
