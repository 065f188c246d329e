// Datasets of hdf5_file.hpp: shapes, blocks of rows, and how many rows a file can explain; and tables of
// units.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"

namespace aureole::io {

using hdf5::checked;
using hdf5::owned;

namespace {

constexpr std::size_t most_dimensions = 5;
/// A chunk of three doubles a row is 384 kB: some fit in the library's cache of 1 MB, and blocks of
/// write_field() are whole chunks, so that none is packed twice.
constexpr hsize_t chunk_rows = 1 << 14;
constexpr unsigned deflate_level = 1;  ///< digits of positions do not repeat: higher ones take time only

void store_in_packed_chunks(const Hdf5Handle& properties, const Hdf5Handle& space, const std::string& label)
{
    std::array<hsize_t, most_dimensions> extent{};
    const int rank = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    if (rank < 1 || H5Sget_simple_extent_npoints(space.id()) < 1)
        return;  // scalars and empty ones have no chunks
    extent[0] = std::min(extent[0], chunk_rows);
    checked(H5Pset_chunk(properties.id(), rank, extent.data()), label, "cannot be created");
    checked(H5Pset_shuffle(properties.id()), label, "cannot be created");
    checked(H5Pset_deflate(properties.id(), deflate_level), label, "cannot be created");
}

}  // namespace

void Hdf5File::compress()
{
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        throw IoError(fmt::format(
            "{}: the HDF5 library of this build cannot compress; output.compression: none", name_));
    compressed_ = true;
}

Hdf5Dataset Hdf5File::dataset(const std::string& path) const
{
    Hdf5Dataset result = array(path);
    if (result.inner_.size() > 1)
        throw IoError(fmt::format("{} has {} dimensions, expected one or two", result.label_,
                                  result.inner_.size() + 1));
    return result;
}

Hdf5Dataset Hdf5File::array(const std::string& path) const
{
    Hdf5Dataset result;
    result.label_ = label(path);
    result.file_bytes_ = bytes_;
    if (!has_dataset(path)) throw IoError(fmt::format("{} is missing or not a dataset", result.label_));
    result.handle_ =
        owned(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, result.label_, "cannot be opened");
    const Hdf5Handle type =
        owned(H5Dget_type(result.handle_.id()), H5Tclose, result.label_, "has no readable type");
    result.layout_ = hdf5::layout_of(type.id(), result.label_);
    const Hdf5Handle space =
        owned(H5Dget_space(result.handle_.id()), H5Sclose, result.label_, "has no readable shape");
    result.rows_ = 1;
    if (H5Sget_simple_extent_type(space.id()) != H5S_SCALAR) result.take_shape(space);
    if (bytes_ > 0) result.expect_stored();  // 0 for a file that is being written
    return result;
}

void Hdf5Dataset::take_shape(const Hdf5Handle& space)
{
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank < 1 || rank > static_cast<int>(most_dimensions))
        throw IoError(fmt::format("{} has {} dimensions, expected one to five", label_, rank));
    std::array<hsize_t, most_dimensions> extent{};
    checked(H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr), label_, "has no shape");
    rows_ = extent[0];
    inner_.assign(extent.begin() + 1, extent.begin() + rank);
    for (const std::uint64_t n : inner_) {
        if (n > 0 && width_ > std::numeric_limits<std::uint64_t>::max() / 16 / n)
            throw IoError(fmt::format("{} has too many values in a row", label_));
        width_ *= n;
    }
}

Hdf5Dataset Hdf5File::create_dataset(const std::string& path, NumberType stored, std::uint64_t rows,
                                     std::uint64_t width)
{
    const std::array<hsize_t, 2> extent{rows, width};
    Hdf5Dataset result = create_in(path, stored,
                                   owned(H5Screate_simple(width ? 2 : 1, extent.data(), nullptr), H5Sclose,
                                         label(path), "cannot be created"));
    result.rows_ = rows;
    result.width_ = width ? width : 1;
    return result;
}

Hdf5Dataset Hdf5File::create_array(const std::string& path, NumberType stored,
                                   std::span<const std::uint64_t> extent)
{
    AUREOLE_EXPECT(extent.size() >= 1 && extent.size() <= most_dimensions,
                   "{}: {} dimensions, expected one to five", label(path), extent.size());
    const std::vector<hsize_t> shape(extent.begin(), extent.end());
    Hdf5Dataset result =
        create_in(path, stored,
                  owned(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                        label(path), "cannot be created"));
    result.rows_ = extent[0];
    result.inner_.assign(extent.begin() + 1, extent.end());
    result.width_ = 1;
    for (const std::uint64_t n : result.inner_) result.width_ *= n;
    return result;
}

Hdf5Dataset Hdf5File::create_scalar(const std::string& path, NumberType stored)
{
    return create_in(path, stored, owned(H5Screate(H5S_SCALAR), H5Sclose, label(path), "cannot be created"));
}

/// The result has one row of one value until the caller sets its shape.
Hdf5Dataset Hdf5File::create_in(const std::string& path, NumberType stored, const Hdf5Handle& space)
{
    Hdf5Dataset result;
    result.label_ = label(path);
    const Hdf5Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE, result.label_);
    if (compressed_) store_in_packed_chunks(properties, space, result.label_);
    result.handle_ = owned(H5Dcreate2(handle_.id(), path.c_str(), hdf5::native(stored), space.id(),
                                      H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                           H5Dclose, result.label_, "cannot be created");
    result.rows_ = 1;
    result.layout_ = hdf5::layout_of(hdf5::native(stored), result.label_);
    return result;
}

void Hdf5File::create_virtual(const std::string& path, std::span<const std::uint64_t> extent,
                              const std::string& source, std::uint64_t first)
{
    const std::string what = label(path);
    const Hdf5Handle from =
        owned(H5Dopen2(handle_.id(), source.c_str(), H5P_DEFAULT), H5Dclose, what, "has no source");
    const Hdf5Handle type = owned(H5Dget_type(from.id()), H5Tclose, what, "has no source of a readable type");
    const Hdf5Handle rows = owned(H5Dget_space(from.id()), H5Sclose, what, "has no source of a shape");
    std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(rows.id())));
    checked(H5Sget_simple_extent_dims(rows.id(), size.data(), nullptr), what, "has no source of a shape");
    std::uint64_t wanted = 1, row = 1;
    for (const std::uint64_t n : extent) wanted *= n;
    for (std::size_t d = 1; d < size.size(); ++d) row *= size[d];
    AUREOLE_EXPECT(row > 0 && wanted % row == 0 && first + wanted / row <= size[0],
                   "{}: {} numbers from row {} of [{}, {}], expected rows that the source has", what, wanted,
                   first, size[0], row);
    std::vector<hsize_t> start(size.size(), 0), count = size;
    start[0] = first;
    count[0] = wanted / row;
    checked(H5Sselect_hyperslab(rows.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            what, "cannot be selected");
    const std::vector<hsize_t> shape(extent.begin(), extent.end());
    const Hdf5Handle space = owned(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                                   H5Sclose, what, "cannot be created");
    // HDF5 1.10 is the first version with virtual datasets; all else can be read by every library from 1.8
    // on.
    checked(H5Fset_libver_bounds(handle_.id(), H5F_LIBVER_V18, H5F_LIBVER_V110), what, "cannot be created");
    const Hdf5Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE, what);
    checked(H5Pset_virtual(properties.id(), space.id(), ".", source.c_str(), rows.id()), what,
            "cannot be created");
    owned(H5Dcreate2(handle_.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(),
                     H5P_DEFAULT),
          H5Dclose, what, "cannot be created");
}

namespace {

Hdf5Handle memory_space(std::size_t count, const std::string& label)
{
    const hsize_t extent = count;
    return owned(H5Screate_simple(1, &extent, nullptr), H5Sclose, label, "cannot be selected");
}

}  // namespace

Hdf5Handle Hdf5Dataset::selection(std::uint64_t first, std::size_t count) const
{
    const std::uint64_t n = width_ ? count / width_ : 0;
    AUREOLE_EXPECT(n * width_ == count && first <= rows_ && n <= rows_ - first,
                   "{}: {} values from row {} of a [{}, {}] dataset, expected whole rows that it has", label_,
                   count, first, rows_, width_);
    Hdf5Handle space = owned(H5Dget_space(handle_.id()), H5Sclose, label_, "has no readable shape");
    if (H5Sget_simple_extent_type(space.id()) == H5S_SCALAR) return space;
    std::array<hsize_t, most_dimensions> start{first}, extent{n, width_};
    std::ranges::copy(inner_, extent.begin() + 1);
    checked(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
            label_, "cannot be selected");
    return space;
}

void Hdf5Dataset::read(std::uint64_t first, std::size_t count, NumberType type, void* values) const
{
    if (count == 0) return;
    const bool wants_complex = type == NumberType::c128;
    if (layout_.complex != wants_complex)
        throw IoError(fmt::format("{} holds {} numbers, expected {} ones", label_,
                                  layout_.complex ? "complex" : "real", wants_complex ? "complex" : "real"));
    if (type != NumberType::f32 && type != NumberType::f64 && !wants_complex && !layout_.integer)
        throw IoError(fmt::format("{} holds fractions, expected integers", label_));
    const Hdf5Handle in_file = selection(first, count), in_memory = memory_space(count, label_);
    expect_whole(first, count / width_);
    checked(H5Dread(handle_.id(), hdf5::native(type), in_memory.id(), in_file.id(), H5P_DEFAULT, values),
            label_, "cannot be read");
}

/// Rows are mostly read in turn: no chunk is unpacked for this twice, however few rows are read at once.
void Hdf5Dataset::expect_whole(std::uint64_t first, std::uint64_t rows) const
{
    if (file_bytes_ == 0) return;  // being written
    if (first < whole_begin_ || first > whole_end_) whole_begin_ = whole_end_ = first;
    if (const std::uint64_t end = first + rows; end > whole_end_)
        whole_end_ = hdf5::expect_whole_chunks(handle_.id(), whole_end_, end - whole_end_, label_);
}

void Hdf5Dataset::write(std::uint64_t first, std::size_t count, NumberType type, const void* values)
{
    if (count == 0) return;
    const Hdf5Handle in_file = selection(first, count), in_memory = memory_space(count, label_);
    if (H5Dwrite(handle_.id(), hdf5::native(type), in_memory.id(), in_file.id(), H5P_DEFAULT, values) < 0)
        throw IoError(fmt::format("{}: {} bytes cannot be written: {}", label_,
                                  rows_ * width_ * layout_.bytes, hdf5::last_message()));
}

std::optional<std::uint64_t> Hdf5Dataset::offset() const
{
    const haddr_t at = H5Dget_offset(handle_.id());
    if (at == HADDR_UNDEF) return std::nullopt;
    return at;
}

void Hdf5Dataset::expect_stored() const
{
    if (rows_ == 0 || width_ == 0) return;
    const std::uint64_t explained = hdf5::explained_bytes(handle_.id(), file_bytes_, label_);
    hdf5::expect_written(handle_.id(), label_);
    const std::uint64_t row_limit = explained / width_ / (layout_.bytes ? layout_.bytes : 1);
    if (rows_ > row_limit)
        throw IoError(
            fmt::format("{} claims {} rows of {} values but {} bytes are stored for it in a file of {} bytes",
                        label_, rows_, width_, H5Dget_storage_size(handle_.id()), file_bytes_));
}

// Tables of units: a compound of two short texts and a number, as EXP keeps its units.

namespace {

constexpr std::size_t text_bytes = 16;

struct Row {
    char name[text_bytes], unit[text_bytes];
    double value;
};

Hdf5Handle row_type(const std::string& label)
{
    const Hdf5Handle text = owned(H5Tcopy(H5T_C_S1), H5Tclose, label, "has no type");
    checked(H5Tset_size(text.id(), text_bytes), label, "has no type");
    Hdf5Handle row = owned(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose, label, "has no type");
    checked(H5Tinsert(row.id(), "name", offsetof(Row, name), text.id()), label, "has no type");
    checked(H5Tinsert(row.id(), "unit", offsetof(Row, unit), text.id()), label, "has no type");
    checked(H5Tinsert(row.id(), "value", offsetof(Row, value), H5T_NATIVE_DOUBLE), label, "has no type");
    return row;
}

}  // namespace

void Hdf5File::write_unit_table(const std::string& path, std::span<const UnitRow> rows)
{
    const std::string what = label(path);
    std::vector<Row> stored(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        AUREOLE_EXPECT(rows[k].name.size() < text_bytes && rows[k].unit.size() < text_bytes,
                       "{}: '{}' or '{}' is longer than {} characters", what, rows[k].name, rows[k].unit,
                       text_bytes - 1);
        rows[k].name.copy(stored[k].name, text_bytes);
        rows[k].unit.copy(stored[k].unit, text_bytes);
        stored[k].value = rows[k].value;
    }
    const hsize_t length = rows.size();
    const Hdf5Handle space =
        owned(H5Screate_simple(1, &length, nullptr), H5Sclose, what, "cannot be created");
    const Hdf5Handle type = row_type(what);
    const Hdf5Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE, what);
    const Hdf5Handle created = owned(H5Dcreate2(handle_.id(), path.c_str(), type.id(), space.id(),
                                                H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                                     H5Dclose, what, "cannot be created");
    checked(H5Dwrite(created.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()), what,
            "cannot be written");
}

std::vector<UnitRow> Hdf5File::unit_table(const std::string& path) const
{
    const std::string what = label(path);
    if (!has_dataset(path)) throw IoError(fmt::format("{} is missing or not a dataset", what));
    const Hdf5Handle set =
        owned(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, what, "cannot be opened");
    const Hdf5Handle space = owned(H5Dget_space(set.id()), H5Sclose, what, "has no readable shape");
    const auto rows = H5Sget_simple_extent_npoints(space.id());
    const Hdf5Handle type = owned(H5Dget_type(set.id()), H5Tclose, what, "has no readable type");
    const std::size_t row_bytes = std::max<std::size_t>(1, H5Tget_size(type.id()));
    if (rows < 0 || static_cast<std::uint64_t>(rows) > bytes_ / row_bytes)
        throw IoError(
            fmt::format("{} claims {} rows of {} bytes in a file of {}", what, rows, row_bytes, bytes_));
    std::vector<Row> stored(static_cast<std::size_t>(rows));
    if (rows > 0) {
        static_cast<void>(hdf5::explained_bytes(set.id(), bytes_, what));
        hdf5::expect_written(set.id(), what);
        static_cast<void>(hdf5::expect_whole_chunks(set.id(), 0, stored.size(), what));
        checked(H5Dread(set.id(), row_type(what).id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()), what,
                "is no table of name, unit and value");
    }
    const auto text = [](const char* from) { return std::string(from, strnlen(from, text_bytes)); };
    std::vector<UnitRow> result;
    for (const Row& row : stored) result.push_back({text(row.name), text(row.unit), row.value});
    return result;
}

}  // namespace aureole::io
