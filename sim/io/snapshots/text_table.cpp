#include "sim/io/snapshots/text_table.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/list_text.hpp"
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
    text += fmt::format("# softening: {}\n", list_text(softening, " "));
    if (counts) text += fmt::format("# particles_by_type: {}\n", list_text(*counts, " "));
    return text;
}

namespace {

constexpr std::array<std::string_view, 8> column_names{"id", "m", "x", "y", "z", "vx", "vy", "vz"};

struct Row {
    std::uint64_t id;
    std::array<double, 7> numbers;  ///< m x y z vx vy vz
};

class TableReader {
public:
    explicit TableReader(const std::filesystem::path& file) : name_(file.string()), stream_(open_text(file))
    {
    }

    std::vector<Row> read()
    {
        std::vector<Row> rows;
        for (std::string line; std::getline(stream_, line);) {
            ++line_;
            if (line_ == 1 && trimmed(line) == text_table_signature) described_.emplace();
            if (described_ && rows.empty()) described_->take(line, fmt::format("{}, line {}", name_, line_));
            const std::vector<std::string_view> words = split_words(line);
            if (words.empty()) continue;
            if (rows.empty() && leading_.size() < 3 && words.size() == 1 && number_in<double>(words[0])) {
                leading_.emplace_back(words[0]);
                continue;
            }
            if (rows.empty() && !names_seen_ && names_columns(words)) continue;
            rows.push_back(row(words));
        }
        if (stream_.bad()) throw IoError(fmt::format("{}: reading failed after line {}", name_, line_));
        if (rows.empty()) throw IoError(fmt::format("{}: holds no particles ({})", name_, expected()));
        check_leading(rows.size());
        return rows;
    }

    double time() const { return time_; }

    /// What the comments of a table of this program say; nothing in other files.
    const std::optional<TextTableHeader>& described() const { return described_; }

private:
    [[noreturn]] void fail(const std::string& problem) const
    {
        throw IoError(fmt::format("{}, line {}: {}", name_, line_, problem));
    }

    static std::string expected() { return "expected lines of 8 columns: id m x y z vx vy vz"; }

    bool names_columns(const std::vector<std::string_view>& words)
    {
        const auto same = [](std::string_view word, std::string_view name) {
            return std::ranges::equal(word, name, {}, [](unsigned char c) { return std::tolower(c); });
        };
        names_seen_ = std::ranges::equal(words, column_names, same);
        return names_seen_;
    }

    Row row(const std::vector<std::string_view>& words) const
    {
        if (words.size() != column_names.size())
            fail(
                fmt::format("found {} column{}, {}", words.size(), words.size() == 1 ? "" : "s", expected()));
        const auto refuse = [&](std::size_t column, const char* wanted) {
            fail(fmt::format("column {} ({}): found '{}', expected {}", column + 1, column_names[column],
                             words[column].substr(0, 40), wanted));
        };
        Row result{0, {}};
        if (const auto id = number_in<std::uint64_t>(words[0]))
            result.id = *id;
        else
            refuse(0, "a whole number >= 0");
        for (std::size_t k = 1; k < words.size(); ++k) {
            const auto value = number_in<double>(words[k]);
            if (!value || !std::isfinite(*value)) refuse(k, "a finite number");
            if (k == 1 && *value < 0) refuse(k, "a mass >= 0");
            result.numbers[k - 1] = *value;
        }
        return result;
    }

    /// The lines before the particles are `count`, `count time` or `index count time`, and the count is
    /// right.
    void check_leading(std::size_t n_rows)
    {
        if (leading_.empty()) return;
        const std::size_t at = leading_.size() == 3 ? 1 : 0;
        const auto count = number_in<std::uint64_t>(leading_[at]);
        if (!count || *count != n_rows)
            throw IoError(
                fmt::format("{}: the lines before the particles give '{}' as their number, found {}: "
                            "truncated, or put these lines behind a #",
                            name_, leading_[at], n_rows));
        if (leading_.size() > 1) time_ = *number_in<double>(leading_.back());
        if (!std::isfinite(time_)) throw IoError(fmt::format("{}: the time is '{}'", name_, leading_.back()));
    }

    std::string name_;
    std::ifstream stream_;
    std::uint64_t line_ = 0;
    std::vector<std::string> leading_;
    bool names_seen_ = false;
    double time_ = 0;
    std::optional<TextTableHeader> described_;
};

/// Header, types and softening of a table whose comments tell them. Throws IoError when they contradict each
/// other or the rows.
void take_description(const TextTableHeader& described, const std::filesystem::path& file, Snapshot& snapshot)
{
    snapshot.header = described.header;
    SnapshotHeader& header = snapshot.header;
    if (header.comoving)
        complete_scale_factor(header, header.time, header.redshift, file.string(), snapshot.notes);
    if (header.box_size < 0 || header.hubble <= 0)
        throw IoError(fmt::format("{}: box is {} and h {}, expected at least 0 and above 0", file.string(),
                                  header.box_size, header.hubble));
    if (std::ranges::any_of(described.softening, [](double length) { return length > 0; }))
        snapshot.softening = StatedSoftening{described.softening, "the comment softening"};
    if (!described.counts) return;
    const auto types = snapshot.particles.type.host();
    std::uint64_t first = 0;
    for (std::size_t type = 0; type < n_particle_types; ++type) {
        const std::uint64_t n = (*described.counts)[type];
        if (n > types.size() - first)
            throw IoError(
                fmt::format("{}: particles_by_type promises {} particles of type {} after {}, found {} rows",
                            file.string(), n, type, first, types.size()));
        std::fill_n(types.begin() + static_cast<std::ptrdiff_t>(first), n, static_cast<ParticleType>(type));
        first += n;
    }
    if (first != types.size())
        throw IoError(fmt::format("{}: particles_by_type promises {} particles, found {} rows", file.string(),
                                  first, types.size()));
}

}  // namespace

bool is_text(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 4096> beginning;
    stream.read(beginning.data(), beginning.size());
    const std::string_view seen(beginning.data(), static_cast<std::size_t>(stream.gcount()));
    const auto control = [](unsigned char c) {
        return (c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f;
    };
    return !seen.empty() && std::ranges::none_of(seen, control);
}

Snapshot read_text_table(const std::filesystem::path& file, const SnapshotArrays& arrays)
{
    TableReader reader(file);
    const std::vector<Row> rows = reader.read();
    if (rows.size() > max_particles)
        throw IoError(fmt::format("{}: {} particles, at most {} can be read", file.string(), rows.size(),
                                  max_particles));
    Snapshot snapshot;
    snapshot.format = "text table";
    snapshot.header.time = reader.time();
    snapshot.particles = new_particles(rows.size(), {true, arrays.components, arrays.forces});
    Particles& p = snapshot.particles;
    const auto ids = p.id.host();
    const std::array<std::span<double>, 7> to{p.mass.host(),       p.position.x.host(), p.position.y.host(),
                                              p.position.z.host(), p.velocity.x.host(), p.velocity.y.host(),
                                              p.velocity.z.host()};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ids[i] = rows[i].id;
        for (std::size_t k = 0; k < to.size(); ++k) to[k][i] = rows[i].numbers[k];
    }
    if (reader.described()) take_description(*reader.described(), file, snapshot);
    return snapshot;
}

void write_text_table(const std::filesystem::path& file, ConstParticlesView host,
                      const SnapshotContent& content)
{
    const UnitScales& scales = content.scales;
    TextTableHeader header{content.header, content.softening, count_by_type(host)};
    for (double& length : header.softening) length *= scales.length;
    header.header.nbody_scales.reset();
    for (const auto& [name, value] : content.provenance)
        if (name == "Units" && value == nbody_units_text) header.header.nbody_scales = scales;
    AtomicFile target(file);
    target.write([&](std::ostream& stream) {
        stream << text_table_signature << '\n'
               << to_comments(content.provenance) << header.text() << "id m x y z vx vy vz\n";
        std::string line;
        for (const Index i : sorted_by_type(host)) {
            const Vec3 x = scales.length * host.position.load(i);
            const Vec3 v = host.velocity.absent() ? Vec3{} : scales.velocity * host.velocity.load(i);
            line.clear();
            fmt::format_to(std::back_inserter(line), "{} {} {} {} {} {} {} {}\n", host.id_of(i),
                           scales.mass * host.mass[i], x.x, x.y, x.z, v.x, v.y, v.z);
            stream << line;
        }
    });
    target.commit();
}

}  // namespace aureole::io
