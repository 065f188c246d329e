#include "sim/io/fields/point_table.hpp"

#include <iterator>

#include "sim/core/error.hpp"
#include "sim/io/disk.hpp"

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

}  // namespace aureole::io
