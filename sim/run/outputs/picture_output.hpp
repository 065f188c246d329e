// The pictures of a run: one of the field that the configuration names, and one of its zoom beside it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "sim/core/memory/memory_part.hpp"
#include "sim/core/progress.hpp"
#include "sim/pictures/picture.hpp"
#include "sim/run/outputs/background_write.hpp"
#include "sim/run/run_callbacks.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// What the first picture of a field decided for the next ones.
struct PictureFrame {
    char axis = 'z';              ///< it was chosen for this line of sight,
    double configured_width = 0;  ///< this width of the configuration,
    double width = 0;
    std::optional<Vec3> centre;
    std::optional<DensityRange> range;
    std::optional<VelocityRange> velocities;
    std::optional<Vec3> configured_centre{};  ///< and this centre of it
};

/// What pictures take, with the labels of halos where these colour them, for the forecast.
memory::Part pictures_memory(const Config& internal, std::size_t n, std::size_t n_components);

class PictureOutput {
public:
    /// `config` as the user wrote it, `internal` the same in internal units; both outlive the object.
    PictureOutput(const Config& config, const Config& internal);

    /// The pictures of the present state, the zoom after the first; drawn where the particles are, so that
    /// the pixels alone come to the host. `groups` colour them, `catalogue` gives the circles; both may be
    /// null. Stopped is thrown where `progress` says so.
    std::vector<DrawnPicture> draw(Simulation& simulation, const halo::GroupsView* groups,
                                   const Table* catalogue, const Progress& progress);

    /// Writes what draw() returned in the background; returns the names of the files for the log.
    std::string begin(std::vector<DrawnPicture> drawn, const std::filesystem::path& directory,
                      unsigned number, const io::Provenance& provenance);

    BackgroundWrite& writing() { return writing_; }
    const BackgroundWrite& writing() const { return writing_; }

    /// A picture for a program that looks on, kept apart from the run's own: see Outputs::frame().
    DrawnPicture requested(Simulation& simulation, const FrameRequest& request);

    /// The frames of the first picture and of the zoom.
    using Frames = std::array<std::optional<PictureFrame>, 2>;
    Frames frames() const;

    /// Takes those up that the configuration has not changed.
    void restore(const Frames& frames);

private:
    PictureOptions common_options() const;
    std::vector<PictureOptions> configured() const;  ///< of the fields that are drawn
    std::string shown_time(double time) const;

    const Config& config_;
    const Config& internal_;
    RunUnits units_;
    PicturePainter painter_;
    std::array<std::optional<PictureOptions>, 2> frames_;  ///< of the first pictures, kept
    std::map<std::pair<char, std::string>, PictureOptions> requested_frames_;
    BackgroundWrite writing_;  ///< last: it ends before what it reads
};

}  // namespace aureole::run
