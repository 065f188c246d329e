#include "sim/io/fields/point_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/text_table.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {

PointTableWriter::PointTableWriter(const std::filesystem::path& file, std::uint64_t n_points,
                                   std::vector<PointColumn> columns, const Attributes& attributes,
                                   Provenance provenance)
    : name_(file),
      target_(file),
      csv_(file.extension() == ".csv"),
      n_points_(n_points),
      columns_(std::move(columns)),
      provenance_(std::move(provenance))
{
    std::string header;
    for (const PointColumn& column : columns_)
        for (const std::string& name : column.names) header += (width_++ > 0 ? "," : "") + name;
    if (csv_) {
        text_.open(target_.temporary());
        text_ << header << '\n';
        expect_written();
        return;
    }
    hdf5_ = Hdf5File::create(target_.temporary(), file);
    hdf5_.write_attributes("/", attributes);
    write_provenance(hdf5_, provenance_);
    for (const PointColumn& column : columns_)
        sets_.push_back(hdf5_.create_dataset(column.dataset, column.count ? NumberType::u32 : NumberType::f64,
                                             n_points, column.names.size() > 1 ? column.names.size() : 0));
}

void PointTableWriter::write_text(std::span<const double> rows)
{
    std::string lines;
    for (std::size_t k = 0; k < rows.size(); ++k)
        fmt::format_to(std::back_inserter(lines), "{}{}", rows[k], (k + 1) % width_ == 0 ? '\n' : ',');
    text_ << lines;
    expect_written();
}

/// Checked after each block, while the reason is known and before more is computed.
void PointTableWriter::expect_written() const
{
    if (!text_)
        throw IoError(
            fmt::format("{}: cannot be written: {}", name_.string(), write_failure(target_.temporary())));
}

void PointTableWriter::write_columns(std::span<const double> rows)
{
    std::vector<double> block;
    std::vector<std::uint32_t> counts;
    std::size_t first = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::size_t width = columns_[c].names.size();
        block.clear();
        for (std::size_t row = 0; row < rows.size(); row += width_)
            block.insert(block.end(), rows.begin() + static_cast<std::ptrdiff_t>(row + first),
                         rows.begin() + static_cast<std::ptrdiff_t>(row + first + width));
        first += width;
        if (columns_[c].count) {
            counts.clear();
            for (const double value : block) counts.push_back(static_cast<std::uint32_t>(value));
            sets_[c].write_rows(n_written_, std::span<const std::uint32_t>(counts));
        } else {
            sets_[c].write_rows(n_written_, std::span<const double>(block));
        }
    }
}

void PointTableWriter::write(std::span<const double> rows)
{
    AUREOLE_EXPECT(rows.size() % width_ == 0,
                   "{} numbers for points of {} numbers each, expected whole points", rows.size(), width_);
    csv_ ? write_text(rows) : write_columns(rows);
    n_written_ += rows.size() / width_;
}

void PointTableWriter::expect_hdf5(const std::string& path) const
{
    AUREOLE_EXPECT(!csv_, "{} has other rows than the table, expected HDF5 for it", path);
}

void PointTableWriter::commit()
{
    AUREOLE_EXPECT(n_written_ == n_points_, "{} points written, expected {}", n_written_, n_points_);
    if (csv_) {
        text_.close();
        expect_written();
        write_metadata(name_, provenance_);
    } else {
        sets_.clear();
        hdf5_.close();
    }
    target_.commit();
}

FieldWriter::FieldWriter(const std::filesystem::path& file, std::uint64_t n_points,
                         const Attributes& attributes, Provenance provenance)
    : table_(file, n_points,
             {{"/Coordinates", {"x", "y", "z"}},
              {"/Density", {"density"}},
              {"/Potential", {"potential"}},
              {"/Accelerations", {"ax", "ay", "az"}}},
             attributes, std::move(provenance))
{
}

void FieldWriter::write(std::span<const FieldValue> next)
{
    std::vector<double> rows;
    rows.reserve(8 * next.size());
    for (const auto& [x, density, potential, a] : next)
        rows.insert(rows.end(), {x.x, x.y, x.z, density, potential, a.x, a.y, a.z});
    table_.write(rows);
}

namespace {
/// Which words of a line are x, y and z, and how many there are.
struct Columns {
    std::size_t at[3] = {0, 1, 2}, count = 3;
};

/// Nothing unless a line names x, y and z.
std::optional<Columns> named_columns(const std::vector<std::string_view>& words)
{
    Columns columns{{}, words.size()};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto found = std::ranges::find(words, std::string_view("xyz").substr(k, 1));
        if (found == words.end()) return std::nullopt;
        columns.at[k] = static_cast<std::size_t>(found - words.begin());
    }
    return columns;
}

std::optional<Vec3> point_in(const std::vector<std::string_view>& words, const Columns& columns)
{
    if (words.size() != columns.count) return std::nullopt;
    double x[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const auto value = number_in<double>(words[columns.at[k]]);
        if (!value || !std::isfinite(*value)) return std::nullopt;
        x[k] = *value;
    }
    return Vec3{x[0], x[1], x[2]};
}

std::vector<Vec3> read_text(const std::filesystem::path& file)
{
    std::ifstream stream = open_text(file);
    std::vector<Vec3> points;
    Columns columns;
    std::uint64_t line_number = 0;
    bool first = true;
    for (std::string line; std::getline(stream, line);) {
        ++line_number;
        const auto words = split_words(line);
        if (words.empty()) continue;
        const auto named = first ? named_columns(words) : std::nullopt;
        first = false;
        if (named) {
            columns = *named;
            continue;
        }
        const auto point = point_in(words, columns);
        if (!point)
            throw IoError(fmt::format(
                "{}, line {}: found '{}', expected {}", file.string(), line_number, line.substr(0, 60),
                columns.count == 3
                    ? std::string("three finite numbers x y z")
                    : fmt::format("{} columns as in the line of names, x, y and z finite", columns.count)));
        points.push_back(*point);
    }
    if (stream.bad())
        throw IoError(fmt::format("{}: reading failed after line {}", file.string(), line_number));
    return points;
}

std::vector<Vec3> of_snapshot(const std::filesystem::path& file)
{
    Snapshot snapshot = read_snapshot(file);
    const ParticlesView p = snapshot.particles.view();
    std::vector<Vec3> points(p.n);
    for (Index i = 0; i < p.n; ++i) points[i] = p.position.load(i);
    return points;
}

bool lists_points(const std::filesystem::path& file)
{
    std::error_code ignored;  // of several files only the base name may be given
    return is_hdf5(file) && std::filesystem::is_regular_file(file, ignored) &&
           Hdf5File::open(file).has_dataset("/Coordinates");
}

std::vector<Vec3> read_hdf5(const std::filesystem::path& file)
{
    const Hdf5Dataset set = Hdf5File::open(file).dataset("/Coordinates");
    if (set.width() != 3)
        throw IoError(fmt::format("{} is [{}, {}], expected [N, 3]", set.label(), set.rows(), set.width()));
    std::vector<Vec3> points(set.rows());
    for_each_row<double>(set, [&](std::size_t row, const double* x) {
        if (!std::isfinite(x[0] + x[1] + x[2]))
            throw IoError(fmt::format("{}: point {} is ({}, {}, {}), expected finite numbers", set.label(),
                                      row, x[0], x[1], x[2]));
        points[row] = {x[0], x[1], x[2]};
    });
    return points;
}

}  // namespace

std::vector<Vec3> read_points(const std::filesystem::path& file)
{
    std::error_code ignored;
    const bool stored = std::filesystem::is_regular_file(file, ignored);  // else refused as text
    const bool text = !is_hdf5(file) && (!stored || is_text(file));
    std::vector<Vec3> points = text                 ? read_text(file)
                               : lists_points(file) ? read_hdf5(file)
                                                    : of_snapshot(file);
    if (points.empty()) throw IoError(fmt::format("{}: holds no point", file.string()));
    return points;
}

void write_forces(const std::filesystem::path& file, ConstParticlesView host, const ForcesContent& content)
{
    AUREOLE_EXPECT(!host.acceleration.absent() && host.potential,
                   "{}: the particles have no accelerations or no potentials, expected both", file.string());
    write_hdf5(file, [&](Hdf5File& out) {
        write_field<double>(out, "/Accelerations", host.n, 3, [&](std::size_t row, double* to) {
            const Vec3 a = host.acceleration.load(static_cast<Index>(row));
            to[0] = content.acceleration_scale * a.x;
            to[1] = content.acceleration_scale * a.y;
            to[2] = content.acceleration_scale * a.z;
        });
        write_field<double>(out, "/Potentials", host.n, 0, [&](std::size_t row, double* to) {
            *to = content.potential_scale * host.potential[row];
        });
        write_field<std::uint64_t>(out, "/ParticleIDs", host.n, 0, [&](std::size_t row, std::uint64_t* to) {
            *to = host.id_of(static_cast<Index>(row));
        });
        out.write_attribute("/", "G", content.gravitational_constant);
        out.write_attributes("/", content.settings);
        write_provenance(out, content.provenance);
    });
}

}  // namespace aureole::io
