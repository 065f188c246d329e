#include "sim/config/snapshot_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::run {
namespace {

/// Positions are always stored.
struct Field {
    const char* name;
    bool io::SnapshotFields::*stored;
};
constexpr char positions[] = "positions";
constexpr Field fields[] = {{"velocities", &io::SnapshotFields::velocities},
                            {"masses", &io::SnapshotFields::masses},
                            {"ids", &io::SnapshotFields::ids},
                            {"potentials", &io::SnapshotFields::potentials},
                            {"groups", &io::SnapshotFields::groups},
                            {"components", &io::SnapshotFields::components}};

/// The formats in which fields and digits can be chosen.
std::vector<std::string> choosing_formats()
{
    std::vector<std::string> names;
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries())
        if (format.writing.make && format.writing.chooses) names.push_back(format.name);
    return names;
}

}  // namespace

std::vector<std::string> snapshot_field_names()
{
    std::vector<std::string> names{positions};
    for (const Field& field : fields) names.emplace_back(field.name);
    return names;
}

io::SnapshotFields fields_of(const SnapshotChoice& choice)
{
    io::SnapshotFields stored;
    if (choice.fields.empty()) return stored;
    for (const Field& field : fields)
        stored.*field.stored = std::ranges::find(choice.fields, field.name) != choice.fields.end();
    return stored;
}

io::MantissaBits mantissa_bits_of(const SnapshotChoice& choice)
{
    return {static_cast<int>(choice.position_bits), static_cast<int>(choice.velocity_bits),
            static_cast<int>(choice.mass_bits), static_cast<int>(choice.potential_bits)};
}

void expect_choice_possible(const SnapshotChoice& choice, const std::string& format)
{
    const std::vector<std::string> known = snapshot_field_names();
    for (const std::string& field : choice.fields)
        if (std::ranges::find(known, field) == known.end())
            throw ConfigError(fmt::format(
                "output.snapshots.fields: unknown field '{}'; the nearest known field is '{}' (known are {})",
                field.substr(0, 80), io::nearest(known, field.substr(0, 80)), io::list_text(known, ", ")));
    const bool whole =
        fields_of(choice) == io::SnapshotFields{} && mantissa_bits_of(choice) == io::MantissaBits{};
    if (!whole && !io::written_formats().at(format).writing.chooses)
        throw ConfigError(fmt::format(
            "output.snapshots.fields and output.mantissa_bits are given, but format {} stores every field "
            "with the digits that it has; expected format {}",
            format, io::list_text(choosing_formats(), " or ")));
}

io::Provenance provenance_of(const SnapshotChoice& choice, std::uint64_t seed)
{
    io::Provenance provenance;
    if (!choice.types.empty()) provenance.emplace_back("ChosenTypes", io::list_text(choice.types, ", "));
    if (!choice.fields.empty()) provenance.emplace_back("ChosenFields", io::list_text(choice.fields, ", "));
    if (choice.subsample != 1)
        provenance.emplace_back("Subsample",
                                fmt::format("{} of the particles, chosen by id and seed {}; masses are "
                                            "those of the particles",
                                            choice.share(), seed));
    return provenance;
}

}  // namespace aureole::run
