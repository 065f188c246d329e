// The particles of one type in one file of a Gadget-like HDF5 snapshot: what is stored of them, and any rows.
#pragma once

#include <algorithm>

#include "sim/io/snapshots/gadget_metadata.hpp"

namespace aureole::io {

/// What a group /PartTypeK of a file holds.
struct GadgetPiece {
    bool has_ids = false, has_velocities = false, has_components = false;
    std::string mass_field;             ///< the dataset of masses; empty without one
    std::vector<std::string> rounding;  ///< notes of fields that were rounded
    std::vector<std::string> dropped;   ///< fields that Particles does not have
};

/// One file of a snapshot.
struct GadgetPart {
    std::filesystem::path name;
    GadgetMetadata metadata;
    std::array<std::uint64_t, n_particle_types> rows{};
    std::array<GadgetPiece, n_particle_types> pieces{};  ///< of types that have rows

    /// Of MassTable, 0 where it has none.
    double mass_in_table(std::size_t type) const;
};

/// What is seen in the numbers of rows and concerns the whole snapshot; plain values, to be sent.
struct RowFindings {
    /// The first particle of a type in a file.
    struct Start {
        std::uint32_t part = 0, type = 0;
        std::uint64_t id = 0;
        std::array<double, 3> position{};
    };
    struct Contradiction {
        std::uint32_t part = 0, type = 0;

        bool operator==(const Contradiction&) const = default;
    };
    std::vector<Start> starts;                  ///< where positions were read
    std::vector<Contradiction> contradictions;  ///< masses that are not those of MassTable

    bool contradicts(std::uint32_t part, std::size_t type) const
    {
        return std::ranges::count(contradictions, Contradiction{part, static_cast<std::uint32_t>(type)}) > 0;
    }
};

/// "/PartType1".
std::string group_of(std::size_t type);

/// A sentence or a field is listed once, however many parts bring it.
void add_once(std::vector<std::string>& list, const std::string& entry);

GadgetPiece described_piece(const Hdf5File& file, std::size_t type);

/// Rows of a piece: [begin, end) of `rows`, which go to the particles from `first` on.
struct PieceRows {
    const Hdf5File& file;
    std::size_t type;
    std::uint64_t rows, begin, end;
    std::size_t first;

    std::string path(const char* field) const { return group_of(type) + "/" + field; }
    std::size_t size() const { return end - begin; }
    Hdf5Dataset dataset(const char* field, std::uint64_t width) const;
};

/// Reads them; particles without ids keep the numbers that they have. Throws IoError naming file, dataset and
/// row for numbers that are not finite.
void read_piece(const PieceRows& rows, const GadgetPart& part, std::uint32_t number, Particles& particles,
                RowFindings& findings);

/// What the user has to know of the type of a part: notes, dropped fields, velocities.
void tell_of_piece(const GadgetPart& part, std::size_t type, bool contradicts, Snapshot& snapshot);

/// Throws when two parts begin with the same particle: one file stands in another's place.
void expect_no_repeated_part(const std::vector<GadgetPart>& parts, const RowFindings& findings);

}  // namespace aureole::io
