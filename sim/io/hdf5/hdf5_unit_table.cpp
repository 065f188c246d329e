// Tables of units of hdf5_file.hpp: a compound of two short texts and a number, as EXP keeps its units.
#include <algorithm>
#include <cstring>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"

namespace aureole::io {

using hdf5::checked;
using hdf5::owned;

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
