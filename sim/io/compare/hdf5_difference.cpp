// Two HDF5 files side by side. Numbers are read in the types they are stored in, so nothing is converted and
// every bit counts; datasets in blocks of rows.
#include <algorithm>
#include <cstring>

#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {
namespace {

using hdf5::checked;
using hdf5::owned;

constexpr std::uint64_t block_bytes = 1 << 24;
constexpr std::uint64_t most_attribute_bytes = 1 << 26;  ///< also of datasets that the file does not explain
constexpr std::size_t most_objects = 100000;
constexpr std::ptrdiff_t deepest = 10;  ///< of groups in groups; groups that hold themselves cost its square

/// A dataset or attribute: its numbers and how they lie.
struct Stored {
    Hdf5Handle handle, type, space;
    std::string label;
};

Stored dataset_of(hid_t file, const std::string& path, const std::string& label)
{
    Stored s;
    s.label = label + ": " + path;
    s.handle = owned(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, s.label, "cannot be opened");
    s.type = owned(H5Dget_type(s.handle.id()), H5Tclose, s.label, "has no type");
    s.space = owned(H5Dget_space(s.handle.id()), H5Sclose, s.label, "has no shape");
    return s;
}

Stored attribute_of(hid_t file, const std::string& path, const std::string& name, const std::string& label)
{
    Stored s;
    s.label = fmt::format("{}: attribute {} of {}", label, name, path);
    s.handle = owned(H5Aopen_by_name(file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                     s.label, "cannot be opened");
    s.type = owned(H5Aget_type(s.handle.id()), H5Tclose, s.label, "has no type");
    s.space = owned(H5Aget_space(s.handle.id()), H5Sclose, s.label, "has no shape");
    return s;
}

std::vector<hsize_t> shape_of(const Stored& s)
{
    std::vector<hsize_t> shape(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(s.space.id()))));
    if (!shape.empty())
        checked(H5Sget_simple_extent_dims(s.space.id(), shape.data(), nullptr), s.label, "has no shape");
    return shape;
}

/// Why two of them cannot be compared bit by bit, "" when they can.
std::string layout_difference(const Stored& a, const Stored& b)
{
    const auto has_pointers = [](const Stored& s) {
        return H5Tis_variable_str(s.type.id()) > 0 || H5Tdetect_class(s.type.id(), H5T_VLEN) > 0 ||
               H5Tdetect_class(s.type.id(), H5T_REFERENCE) > 0;
    };
    if (H5Tequal(a.type.id(), b.type.id()) <= 0) return "other types";
    if (H5Sget_simple_extent_type(a.space.id()) != H5Sget_simple_extent_type(b.space.id()) ||
        shape_of(a) != shape_of(b))
        return "other shapes";
    return has_pointers(a) ? "texts or lists of variable length, which are not compared" : "";
}

/// Whether a type stands there under a name, and no numbers.
bool is_type(const Hdf5Handle& file, const std::string& path)
{
    const Hdf5Handle found(H5Oopen(file.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    return found.id() >= 0 && H5Iget_type(found.id()) == H5I_DATATYPE;
}

/// Where two blocks of elements of `size` bytes differ first; the number of elements when they do not.
std::size_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b,
                             std::size_t size)
{
    const auto apart = std::ranges::mismatch(a, b).in1;
    return static_cast<std::size_t>(apart - a.begin()) / size;
}

std::string attribute_difference(const Stored& a, const Stored& b)
{
    if (std::string other = layout_difference(a, b); !other.empty()) return other;
    const auto count = H5Sget_simple_extent_npoints(a.space.id());
    const std::size_t size = H5Tget_size(a.type.id());
    checked(count, a.label, "has no shape");
    if (count == 0 || size == 0) return "";
    if (static_cast<std::uint64_t>(count) > most_attribute_bytes / size)
        throw IoError(fmt::format("{} claims {} values of {} bytes", a.label, count, size));
    const auto bytes_of = [&](const Stored& s) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
        checked(H5Aread(s.handle.id(), s.type.id(), bytes.data()), s.label, "cannot be read");
        return bytes;
    };
    const std::size_t first = first_difference(bytes_of(a), bytes_of(b), size);
    return first < static_cast<std::size_t>(count) ? fmt::format("first in value {}", first) : "";
}

std::vector<std::byte> rows_of(const Stored& s, const std::vector<hsize_t>& first,
                               const std::vector<hsize_t>& extent, std::size_t bytes)
{
    std::vector<std::byte> values(bytes);
    const Hdf5Handle in_file = owned(H5Scopy(s.space.id()), H5Sclose, s.label, "has no shape");
    Hdf5Handle in_memory = owned(H5Screate(H5S_SCALAR), H5Sclose, s.label, "cannot be selected");
    if (!extent.empty()) {
        checked(
            H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, first.data(), nullptr, extent.data(), nullptr),
            s.label, "cannot be selected");
        in_memory = owned(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose,
                          s.label, "cannot be selected");
    }
    checked(H5Dread(s.handle.id(), s.type.id(), in_memory.id(), in_file.id(), H5P_DEFAULT, values.data()),
            s.label, "cannot be read");
    return values;
}

/// Throws IoError for rows that are too long to be compared at once.
std::uint64_t bytes_of_row(const Stored& set, const std::vector<hsize_t>& shape)
{
    std::uint64_t bytes = H5Tget_size(set.type.id());
    for (std::size_t k = 1; k < shape.size(); ++k) {
        if (shape[k] > 0 && bytes > 64 * block_bytes / shape[k])
            throw IoError(fmt::format("{} has rows of more than {} bytes", set.label, 64 * block_bytes));
        bytes *= shape[k];
    }
    return bytes;
}

std::string dataset_difference(const Stored& a, const Stored& b, std::uint64_t file_bytes)
{
    if (std::string other = layout_difference(a, b); !other.empty()) return other;
    if (H5Sget_simple_extent_type(a.space.id()) == H5S_NULL) return "";
    const std::vector<hsize_t> shape = shape_of(a);
    const std::uint64_t rows = shape.empty() ? 1 : shape[0], row_bytes = bytes_of_row(a, shape);
    if (row_bytes == 0 || rows == 0) return "";
    for (const Stored* one : {&a, &b})
        if (rows >
            std::max(hdf5::explained_bytes(one->handle.id(), file_bytes, one->label), most_attribute_bytes) /
                row_bytes)
            throw IoError(fmt::format("{} claims {} rows of {} bytes, which the file does not hold",
                                      one->label, rows, row_bytes));
    for (const Stored* one : {&a, &b})
        static_cast<void>(hdf5::expect_whole_chunks(one->handle.id(), 0, rows, one->label));
    const std::uint64_t rows_at_once = std::max<std::uint64_t>(1, block_bytes / row_bytes);
    for (std::uint64_t row = 0; row < rows; row += rows_at_once) {
        std::vector<hsize_t> first(shape.size(), 0), extent = shape;
        const std::uint64_t n = std::min(rows_at_once, rows - row);
        if (!shape.empty()) {
            first[0] = row;
            extent[0] = n;
        }
        const std::size_t bytes = static_cast<std::size_t>(n * row_bytes);
        const std::size_t apart =
            first_difference(rows_of(a, first, extent, bytes), rows_of(b, first, extent, bytes), row_bytes);
        if (apart < n) return fmt::format("first in row {}", row + apart);
    }
    return "";
}

/// Both files and the lines about them.
class Comparison {
public:
    Comparison(const std::filesystem::path& a, const std::filesystem::path& b)
        : a_(Hdf5File::open(a)),
          b_(Hdf5File::open(b)),
          raw_a_(raw(a)),
          raw_b_(raw(b)),
          file_bytes_(std::max(std::filesystem::file_size(a), std::filesystem::file_size(b)))
    {
    }

    std::vector<std::string> lines;

    void group(const std::string& path)
    {
        if (std::ranges::count(path, '/') > deepest)
            throw IoError(
                fmt::format("{}: groups in groups more than {} times, or groups that hold themselves",
                            a_.name(), deepest));
        attributes(path);
        both(
            a_.members(path), b_.members(path),
            [&](const std::string& name) {
                const std::string inner = (path == "/" ? "/" : path + "/") + name;
                if (++n_objects_ > most_objects)
                    throw IoError(fmt::format("{}: more than {} objects, or groups that hold each other",
                                              a_.name(), most_objects));
                if (inner == "/Provenance" || name.ends_with("_seconds")) return std::string();
                const bool group_a = a_.has_group(inner), group_b = b_.has_group(inner);
                if (group_a != group_b) return inner + ": a group in one file only";
                if (group_a) {
                    group(inner);
                    return std::string();
                }
                attributes(inner);
                const bool type_a = is_type(raw_a_, inner), type_b = is_type(raw_b_, inner);
                if (type_a != type_b) return inner + ": a type in one file only";
                if (type_a) return labelled(inner, same_types(inner) ? "" : "other types");
                return labelled(inner,
                                dataset_difference(dataset_of(raw_a_.id(), inner, a_.name()),
                                                   dataset_of(raw_b_.id(), inner, b_.name()), file_bytes_));
            },
            path + (path == "/" ? "" : "/"));
    }

private:
    bool same_types(const std::string& path) const
    {
        const auto type_in = [&](const Hdf5Handle& file, const Hdf5File& named) {
            return owned(H5Topen2(file.id(), path.c_str(), H5P_DEFAULT), H5Tclose, named.name() + ": " + path,
                         "cannot be opened");
        };
        return H5Tequal(type_in(raw_a_, a_).id(), type_in(raw_b_, b_).id()) > 0;
    }

    static Hdf5Handle raw(const std::filesystem::path& file)
    {
        return owned(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file.string(),
                     "cannot be opened as HDF5");
    }
    static std::string labelled(const std::string& name, const std::string& difference)
    {
        return difference.empty() ? "" : name + ": " + difference;
    }

    void attributes(const std::string& path)
    {
        both(
            a_.attribute_names(path), b_.attribute_names(path),
            [&](const std::string& name) {
                if (name.ends_with("_seconds")) return std::string();
                return labelled(fmt::format("attribute {} of {}", name, path),
                                attribute_difference(attribute_of(raw_a_.id(), path, name, a_.name()),
                                                     attribute_of(raw_b_.id(), path, name, b_.name())));
            },
            fmt::format("attribute of {}: ", path));
    }

    /// Calls compare(name) for names that both have, and adds a line for each that only one has.
    template <class Compare>
    void both(const std::vector<std::string>& names_a, const std::vector<std::string>& names_b,
              Compare compare, const std::string& prefix)
    {
        const auto has = [](const auto& names, const std::string& name) {
            return std::ranges::binary_search(names, name);
        };
        const auto counts = [&](const std::string& name) {
            return prefix + name != "/Provenance" && !name.starts_with(provenance_prefix) &&
                   !name.ends_with("_seconds");
        };
        for (const std::string& name : names_a) {
            if (!counts(name)) continue;
            if (!has(names_b, name))
                lines.push_back(prefix + name + ": only in the first file");
            else if (std::string line = compare(name); !line.empty())
                lines.push_back(std::move(line));
        }
        for (const std::string& name : names_b)
            if (counts(name) && !has(names_a, name))
                lines.push_back(prefix + name + ": only in the second file");
    }

    Hdf5File a_, b_;
    Hdf5Handle raw_a_, raw_b_;
    std::uint64_t file_bytes_;
    std::size_t n_objects_ = 0;
};

}  // namespace

std::vector<std::string> hdf5_differences(const std::filesystem::path& a, const std::filesystem::path& b)
{
    Comparison comparison(a, b);
    comparison.group("/");
    return std::move(comparison.lines);
}

}  // namespace aureole::io
