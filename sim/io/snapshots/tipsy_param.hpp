// The .param file beside a tipsy file, which gives units, box and cosmology.
#pragma once

#include <map>
#include <optional>

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// The keys of one .param file, as text.
struct TipsyParam {
    std::filesystem::path file;
    std::map<std::string, std::string> values;
    bool nbody = false;  ///< its provenance tells of a run with `units: nbody`

    /// The value of `key` as a number, nothing when absent; throws IoError when it is no finite number.
    std::optional<double> number(const std::string& key) const;
};

TipsyParam read_tipsy_param(const std::filesystem::path& file);

/// The .param file that belongs to `snapshot` (see read_tipsy); `notes` tell which file was taken or left,
/// and why.
std::optional<TipsyParam> find_tipsy_param(const std::filesystem::path& snapshot,
                                           std::vector<std::string>& notes);

/// Time, cosmology, box and units of a file whose header says `time`.
SnapshotHeader to_snapshot_header(double time, const TipsyParam& param, std::vector<std::string>& notes);

/// The text of a .param file that says what `header` (units set) says, for a run called `name`.
std::string to_param_text(const SnapshotHeader& header, const std::string& name);

/// Units of length and mass, and velocity for G = 1, of the tipsy file that holds a snapshot with this
/// header: those of the header, with its powers of h multiplied in.
UnitSystem tipsy_units(const SnapshotHeader& header);

}  // namespace aureole::io
