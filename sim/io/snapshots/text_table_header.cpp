#include "sim/io/snapshots/text_table.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {
namespace {

struct NumberKey {
    const char* name;
    double SnapshotHeader::*value;
    bool comoving_only;
};

constexpr NumberKey number_keys[] = {
    {"time", &SnapshotHeader::time, false},
    {"box", &SnapshotHeader::box_size, false},
    {"redshift", &SnapshotHeader::redshift, true},
    {"omega0", &SnapshotHeader::omega0, true},
    {"omega_lambda", &SnapshotHeader::omega_lambda, true},
    {"omega_baryon", &SnapshotHeader::omega_baryon, true},
    {"h", &SnapshotHeader::hubble, true},
    {"h_exponent", &SnapshotHeader::h_exponent, true},
    {"velocity_a_exponent", &SnapshotHeader::velocity_a_exponent, true},
};

/// The finite numbers of a value, `n` of them.
template <class T>
std::vector<T> numbers_in(std::string_view value, std::size_t n, const std::string& place)
{
    std::vector<T> numbers;
    for (const std::string_view word : split_words(value)) {
        const auto number = number_in<T>(word);
        if (!number || !std::isfinite(static_cast<double>(*number)))
            throw IoError(
                fmt::format("{}: found '{}', expected {} finite number(s)", place, value.substr(0, 80), n));
        numbers.push_back(*number);
    }
    if (numbers.size() != n)
        throw IoError(fmt::format("{}: found {} numbers, expected {}", place, numbers.size(), n));
    return numbers;
}

template <class T>
std::array<T, n_particle_types> by_type(std::string_view value, const std::string& place)
{
    const std::vector<T> numbers = numbers_in<T>(value, n_particle_types, place);
    std::array<T, n_particle_types> all{};
    std::ranges::copy(numbers, all.begin());
    return all;
}

UnitSystem units_in(std::string_view value, const std::string& place)
{
    const std::vector<double> numbers = numbers_in<double>(value, 3, place);
    const UnitSystem units{numbers[0], numbers[1], numbers[2]};
    if (!units.usable())
        throw IoError(fmt::format("{}: found '{}', expected positive numbers of cm, g and cm/s", place,
                                  value.substr(0, 80)));
    return units;
}

/// Length, mass, velocity and time of the file for one of the run.
UnitScales scales_in(std::string_view value, const std::string& place)
{
    const std::vector<double> numbers = numbers_in<double>(value, 4, place);
    for (const double one : numbers)
        if (!(one > 0 && std::isfinite(1 / one) && std::isfinite(one * one)))
            throw IoError(fmt::format("{}: found {}, expected a number above 0", place, one));
    return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[2] * numbers[2]};
}

}  // namespace

void TextTableHeader::take(std::string_view line, const std::string& place)
{
    line = trimmed(line);
    const std::size_t colon = line.find(':');
    if (!line.starts_with("# ") || colon == std::string_view::npos) return;
    const std::string_view key = line.substr(2, colon - 2), value = trimmed(line.substr(colon + 1));
    if (key == "units_in_cm_g_cm/s") header.units = units_in(value, place);
    if (key == "nbody_scales") header.nbody_scales = scales_in(value, place);
    if (key == "comoving") header.comoving = value == "yes";
    if (key == "softening") {
        softening = by_type<double>(value, place);
        for (const double length : softening)
            if (length < 0)
                throw IoError(
                    fmt::format("{}: found {}, expected softening lengths of at least 0", place, length));
    }
    if (key == "particles_by_type") counts = by_type<std::uint64_t>(value, place);
    for (const NumberKey& known : number_keys)
        if (key == known.name) header.*known.value = numbers_in<double>(value, 1, place).front();
}

std::string TextTableHeader::text() const
{
    std::string text;
    if (header.units)
        text += fmt::format("# units_in_cm_g_cm/s: {} {} {}\n", header.units->length_cm, header.units->mass_g,
                            header.units->velocity_cm_per_s);
    if (const auto& per = header.nbody_scales)
        text +=
            fmt::format("# nbody_scales: {} {} {} {}\n", per->length, per->mass, per->velocity, per->time);
    if (header.comoving) text += "# comoving: yes\n";
    for (const NumberKey& key : number_keys)
        if (header.comoving || !key.comoving_only)
            text += fmt::format("# {}: {}\n", key.name, header.*key.value);
    text += fmt::format("# softening: {}\n", fmt::join(softening, " "));
    if (counts) text += fmt::format("# particles_by_type: {}\n", fmt::join(*counts, " "));
    return text;
}

}  // namespace aureole::io
