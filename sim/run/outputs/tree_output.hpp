// Halos of a run followed through time: links beside each catalogue, and the trees at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "halo/merger_tree/tracker.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

class TreeOutput {
public:
    /// Links `found`, the catalogue `number` of the present particles, whose members it takes, to those
    /// before, and writes the links; `content` is that of the catalogue's file. Returns what the log says.
    std::string add(const std::filesystem::path& directory, Simulation& simulation, unsigned number,
                    HaloCatalogue& found, const io::CatalogueContent& content, const Config& internal,
                    const HaloContext& context);

    /// Whether a catalogue was linked, by this program or before a resume.
    bool any() const { return any_; }

    halo::HaloTracker::State state() const { return restored_ ? *restored_ : tracker_.state(); }
    void restore(halo::HaloTracker::State state)
    {
        any_ = !state.past.empty();
        restored_ = std::move(state);
    }

private:
    bool any_ = false;
    halo::HaloTracker tracker_;
    std::optional<halo::HaloTracker::State> restored_;  ///< until the next catalogue
};

/// Writes trees.hdf5 of the links in `directory`. Returns what the log says. Throws as write_trees() does.
std::string write_tree_file(const std::filesystem::path& directory, const io::Provenance& provenance);

}  // namespace aureole::run
