// The table of snapshot formats: each is registered once, with what reads it and what writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "sim/core/registry.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// What a reader says of a file after a look at its first bytes and its size.
enum class Recognition {
    no,
    likely,   ///< the beginning fits
    certain,  ///< a signature, or a header that fits the size of the file
};

/// How files of a format are read. A file goes to the first format that is certain, else to the first that
/// finds it likely.
struct SnapshotReading {
    std::string documentation{};  ///< as messages and --help list it: the format and its variants
    std::function<Recognition(const std::filesystem::path&)> recognise{};
    /// Keeps what read_snapshot() promises; arrays that are not asked for may be there all the same.
    std::function<Snapshot(const std::filesystem::path&, const SnapshotArrays&)> read{};
};

/// How the files of a snapshot in parts are called: snapshot_007.3.hdf5, or snapshot_007.gadget.3.
enum class PartNames {
    none,  ///< the format has no parts
    before_ending,
    behind_ending,
};

/// How they are written.
struct SnapshotWriting {
    std::string documentation{};         ///< a few words, for --help and `aureole config`
    std::vector<std::string> endings{};  ///< of names of files: ".hdf5"; runs write the first
    std::function<std::unique_ptr<SnapshotWriter>()> make{};
    bool chooses = false;   ///< takes SnapshotContent::fields and mantissa_bits
    bool galactic = false;  ///< those who read it assume kpc, 1e10 Msun and km/s, whatever the file says
    /// In double precision, which those of a run have.
    std::uint64_t most_particles = std::numeric_limits<std::uint64_t>::max();  ///< of one file
    PartNames parts = PartNames::none;
};

struct SnapshotFormat {
    std::string name;           ///< the value of output.format and of --format
    SnapshotWriting writing{};  ///< without make: it is not written
    SnapshotReading reading{};  ///< without read: it is not read, or another entry reads it
    std::vector<std::string> aliases{};
};

Registry<SnapshotFormat>& snapshot_formats();

/// The documentation of all formats that are read as a list in one sentence, for messages and --help.
std::string known_snapshot_formats();

/// Those formats that can be written, as settings take a registry of names.
struct WrittenFormats {
    std::vector<std::string> names() const;
    const SnapshotFormat* find(std::string_view name) const;  ///< nullptr when there is none
    const SnapshotFormat& at(std::string_view name) const;    ///< throws ConfigError that lists the names
    std::string documentation() const;                        ///< "hdf5 (...), tipsy (...)"
};
const WrittenFormats& written_formats();

/// The format in which a snapshot called `file` is written: that of `name`, or where it is empty the first
/// that is registered with the ending of the file's name. Throws ConfigError when there is none, and when the
/// ending is that of other formats.
const SnapshotFormat& format_for(const std::filesystem::path& file, const std::string& name);

/// The file of a run's snapshot: the stem with the first ending of the format.
std::filesystem::path file_of(const SnapshotFormat& format, const std::filesystem::path& stem);

/// What the files of any registered format end in behind the stem: ".hdf5", ".tipsy", ...; each once.
std::vector<std::string> snapshot_endings();

/// One of the parts of the snapshot that is called `file` as a whole.
std::filesystem::path part_file(const SnapshotFormat& format, const std::filesystem::path& file,
                                std::uint32_t part);

/// Writes a snapshot as so many files of Gadget's kind: the types' particles one after the other, as even
/// parts as can be. The first is written last, so that where it is all are. One part: `file` itself. Throws
/// ConfigError for several parts of a format that has none, and what writing throws.
void write_in_parts(const SnapshotFormat& format, const SnapshotWriter& writer,
                    const std::filesystem::path& file, ConstParticlesView host, SnapshotContent content,
                    std::uint32_t parts);

/// Throws ConfigError for several parts of a format that has none.
void expect_parts_possible(const SnapshotFormat& format, std::uint32_t parts);

/// The number in the name of a file of a snapshot, in any format, whole or in parts, whose stem is of `stems`
/// (snapshot_stems); nothing for other names.
std::optional<unsigned> snapshot_number_in(const std::string& name, const NumberedName& stems);

}  // namespace aureole::io
