// What reader and writer of tipsy share: the layout of a file, and the .param file beside it, which gives
// units, box and cosmology.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/core/particles_view.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

inline constexpr std::uint64_t tipsy_header_bytes = 28;  ///< f8 time, i4 n, ndim, nsph, ndark, nstar
inline constexpr std::uint64_t tipsy_pad_bytes = 4;

/// One kind of record. All begin with mass, position and velocity: 7 floats.
struct TipsyKind {
    const char* name;
    ParticleType type;
    std::uint64_t width;                 ///< floats per record
    std::array<const char*, 5> further;  ///< names of the floats after the seventh
};

inline constexpr std::size_t tipsy_common_floats = 7;
inline constexpr std::array<TipsyKind, 3> tipsy_kinds{{
    {"gas", 0, 12, {"rho", "temp", "hsmooth", "metals", "phi"}},
    {"dark", 1, 9, {"eps", "phi"}},
    {"star", 4, 11, {"metals", "tform", "eps", "phi"}},
}};

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
