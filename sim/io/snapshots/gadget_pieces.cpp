// The numbers are read in blocks of rows, straight into the particle arrays.
#include "sim/io/snapshots/gadget_pieces.hpp"

#include <cmath>
#include <map>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/hdf5_particles.hpp"

namespace aureole::io {
namespace {

/// Digits that were dropped when the file was written cannot be seen in the numbers.
std::vector<std::string> rounding_of(const Hdf5File& file, const std::string& group)
{
    std::vector<std::string> notes;
    for (const char* field : {"Coordinates", "Velocities", "Masses", "Potential"}) {
        const std::string path = group + "/" + field;
        if (!file.has_dataset(path) || !file.has_attribute(path, mantissa_bits_attribute)) continue;
        const double bits = file.number(path, mantissa_bits_attribute);
        notes.push_back(
            fmt::format("{} was rounded to {} digits of the binary fraction when it was written: "
                        "relative errors up to {:.1g}.",
                        path, bits, std::exp2(-bits - 1)));
    }
    return notes;
}

[[noreturn]] void refuse(const Hdf5Dataset& dataset, std::size_t row, std::uint64_t id, const char* name,
                         double value, const char* expected)
{
    throw IoError(fmt::format("{}: particle {} (id {}) has {} = {}, expected {}", dataset.label(), row, id,
                              name, value, expected));
}

void read_vectors(const PieceRows& rows, const char* field, Vec3Buffer& to,
                  std::span<const std::uint64_t> ids)
{
    const Hdf5Dataset dataset = rows.dataset(field, 3);
    const std::array<std::span<double>, 3> arrays{to.x.host(), to.y.host(), to.z.host()};
    constexpr std::array names{"x component", "y component", "z component"};
    for_each_row<double>(dataset, rows.begin, rows.end, [&](std::size_t row, const double* value) {
        const std::size_t place = row - rows.begin;
        for (std::size_t k = 0; k < 3; ++k) {
            if (!std::isfinite(value[k]))
                refuse(dataset, row, ids[place], names[k], value[k], "a finite number");
            arrays[k][rows.first + place] = value[k];
        }
    });
}

/// From the dataset, or else from MassTable (`of_table`, 0 where it has none). Masses stay 0 where neither
/// has any: they follow from Omega0 later. Returns whether they contradict each other.
bool read_masses(const PieceRows& rows, const std::string& field, double of_table, std::span<double> masses,
                 std::span<const std::uint64_t> ids)
{
    if (field.empty()) {
        std::ranges::fill(masses, of_table);
        return false;
    }
    bool contradicts = false;
    const Hdf5Dataset dataset = rows.dataset(field.c_str(), 1);
    for_each_row<double>(dataset, rows.begin, rows.end, [&](std::size_t row, const double* mass) {
        const std::size_t place = row - rows.begin;
        if (!std::isfinite(*mass) || *mass < 0)
            refuse(dataset, row, ids[place], "mass", *mass, "a finite number, at least 0");
        masses[place] = *mass;
        contradicts |= of_table > 0 && std::abs(*mass - of_table) > 1e-6 * of_table;
    });
    return contradicts;
}

}  // namespace

std::string group_of(std::size_t type) { return fmt::format("/PartType{}", type); }

void add_once(std::vector<std::string>& list, const std::string& entry)
{
    if (std::ranges::find(list, entry) == list.end()) list.push_back(entry);
}

double GadgetPart::mass_in_table(std::size_t type) const
{
    const double mass = type < metadata.mass_table.size() ? metadata.mass_table[type] : 0;
    return mass > 0 ? mass : 0;
}

GadgetPiece described_piece(const Hdf5File& file, std::size_t type)
{
    const std::string group = group_of(type);
    const auto has = [&](const char* field) { return file.has_dataset(group + "/" + field); };
    GadgetPiece piece;
    piece.has_ids = has("ParticleIDs");
    piece.has_velocities = has("Velocities");
    piece.has_components = has("ComponentIDs");
    // SWIFT gives black holes several masses
    piece.mass_field = has("Masses") ? "Masses" : has("DynamicalMasses") ? "DynamicalMasses" : "";
    piece.rounding = rounding_of(file, group);
    constexpr std::array carried{"Coordinates", "Velocities", "ParticleIDs", "ComponentIDs"};
    for (const std::string& field : file.members(group))
        if (std::ranges::find(carried, field) == carried.end() && field != piece.mass_field)
            piece.dropped.push_back(group + "/" + field);
    return piece;
}

Hdf5Dataset PieceRows::dataset(const char* field, std::uint64_t width) const
{
    Hdf5Dataset result = file.dataset(path(field));
    if (result.rows() != rows || result.width() != width)
        throw IoError(fmt::format("{} is [{}, {}], expected [{}, {}] as /PartType{}/Coordinates has",
                                  result.label(), result.rows(), result.width(), rows, width, type));
    return result;
}

void read_piece(const PieceRows& rows, const GadgetPart& part, std::uint32_t number, Particles& p,
                RowFindings& findings)
{
    const GadgetPiece& piece = part.pieces[rows.type];
    const auto here = [&rows](auto values) { return values.subspan(rows.first, rows.size()); };
    const auto ids = here(p.id.host());
    if (piece.has_ids) read_id_rows(rows.dataset("ParticleIDs", 1), rows.begin, ids);
    std::ranges::fill(here(p.type.host()), static_cast<ParticleType>(rows.type));
    const bool with_positions = p.position.x.size() > 0;
    if (with_positions) read_vectors(rows, "Coordinates", p.position, ids);
    if (piece.has_velocities && p.velocity.x.size() > 0) read_vectors(rows, "Velocities", p.velocity, ids);
    const auto type = static_cast<std::uint32_t>(rows.type);
    if (read_masses(rows, piece.mass_field, part.mass_in_table(rows.type), here(p.mass.host()), ids))
        findings.contradictions.push_back({number, type});
    if (piece.has_components) rows.dataset("ComponentIDs", 1).read_rows(rows.begin, here(p.component.host()));
    if (!with_positions || rows.begin > 0) return;
    const Vec3Buffer& x = p.position;
    findings.starts.push_back({number,
                               type,
                               piece.has_ids ? ids[0] : 0,
                               {x.x.host()[rows.first], x.y.host()[rows.first], x.z.host()[rows.first]}});
}

void tell_of_piece(const GadgetPart& part, std::size_t type, bool contradicts, Snapshot& snapshot)
{
    const GadgetPiece& piece = part.pieces[type];
    if (!piece.has_ids)
        add_once(
            snapshot.notes,
            fmt::format("{} has no ParticleIDs; its particles were numbered in file order.", group_of(type)));
    if (!piece.has_velocities) {
        snapshot.has_velocities = false;
        add_once(snapshot.notes,
                 fmt::format("{} has no Velocities; its particles are at rest.", group_of(type)));
    }
    if (contradicts)
        add_once(snapshot.notes, fmt::format("{}/{} differ from MassTable's {} and were used.",
                                             group_of(type), piece.mass_field, part.mass_in_table(type)));
    for (const std::string& note : piece.rounding) add_once(snapshot.notes, note);
    for (const std::string& field : piece.dropped) add_once(snapshot.dropped_fields, field);
}

void expect_no_repeated_part(const std::vector<GadgetPart>& parts, const RowFindings& findings)
{
    std::vector<RowFindings::Start> starts = findings.starts;
    std::ranges::sort(starts, {}, [](const auto& s) { return std::pair(s.part, s.type); });
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::array<double, 3>>, std::uint32_t> seen;
    for (const RowFindings::Start& start : starts) {
        const auto [found, fresh] = seen.try_emplace({start.type, start.id, start.position}, start.part);
        if (!fresh && found->second != start.part)
            throw IoError(fmt::format("{}: repeats the particles of {}", parts[start.part].name.string(),
                                      parts[found->second].name.string()));
    }
}

}  // namespace aureole::io
