// HDF5 through its C API, owned by RAII: what the formats of this module need. Objects are named by
// their path inside the file ("/PartType1/Coordinates"). Every failure is an IoError naming file and object;
// the library's own messages are silenced and quoted. Not thread-safe, as the library is not.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/io/atomic_file.hpp"

namespace aureole::io {

/// The most that gzip's filter expands bytes: 258 of them, the longest match of deflate (RFC 1951), from two
/// codes of one bit each.
inline constexpr std::uint64_t deflate_expansion = 1032;

/// c128: two doubles, a compound of r and i as h5py, HighFive and so EXP write it.
enum class NumberType { u8, u16, i32, u32, i64, u64, f32, f64, c128 };

template <class T>
concept Hdf5Number =
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<double>>;

template <Hdf5Number T>
constexpr NumberType number_type()
{
    if constexpr (std::same_as<T, std::uint8_t>) return NumberType::u8;
    if constexpr (std::same_as<T, std::uint16_t>) return NumberType::u16;
    if constexpr (std::same_as<T, std::int32_t>) return NumberType::i32;
    if constexpr (std::same_as<T, std::uint32_t>) return NumberType::u32;
    if constexpr (std::same_as<T, std::int64_t>) return NumberType::i64;
    if constexpr (std::same_as<T, std::uint64_t>) return NumberType::u64;
    if constexpr (std::same_as<T, float>) return NumberType::f32;
    if constexpr (std::same_as<T, double>) return NumberType::f64;
    if constexpr (std::same_as<T, std::complex<double>>) return NumberType::c128;
}

/// An identifier of the library, closed when it goes out of scope.
class Hdf5Handle {
public:
    using Closer = int (*)(std::int64_t);

    Hdf5Handle() = default;
    Hdf5Handle(std::int64_t id, Closer closer) : id_(id), closer_(closer) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept { swap(other); }
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Hdf5Handle() { close(); }

    std::int64_t id() const noexcept { return id_; }
    bool close() noexcept;  ///< false when the library reports a failure, which for a file means lost data

private:
    void swap(Hdf5Handle& other) noexcept
    {
        std::swap(id_, other.id_);
        std::swap(closer_, other.closer_);
    }
    std::int64_t id_ = -1;
    Closer closer_ = nullptr;
};

/// Named settings to be kept as attributes.
using Attributes = std::vector<std::pair<std::string, std::variant<std::string, double, std::int64_t>>>;

/// How the numbers of a dataset or attribute are stored.
struct NumberLayout {
    bool integer = false, has_sign = false;
    std::size_t bytes = 0;
    bool complex = false;
};

/// A row of a table of units: what one unit of `name` is, as value x unit.
struct UnitRow {
    std::string name, unit;  ///< at most 15 characters each
    double value = 0;

    bool operator==(const UnitRow&) const = default;
};

/// A dataset of numbers, [rows], [rows, width] or one scalar; read and written in blocks of rows of any size.
/// Arrays may have up to five dimensions: a row is then all of them but the first. Memory may be allocated
/// for all rows of a dataset of a file that was opened for reading: opening it throws IoError unless every
/// chunk was written and the file has enough bytes, compression allowed for, to explain all rows.
class Hdf5Dataset {
public:
    const std::string& label() const noexcept { return label_; }  ///< file and path, for messages
    std::uint64_t rows() const noexcept { return rows_; }
    std::uint64_t width() const noexcept { return width_; }  ///< 1 for [rows]
    /// The dimensions of a row: none for [rows], those behind the first else.
    const std::vector<std::uint64_t>& inner() const noexcept { return inner_; }
    NumberLayout layout() const noexcept { return layout_; }
    /// Byte of the file at which the rows begin; nothing where they are not stored in one piece.
    std::optional<std::uint64_t> offset() const;

    /// Rows from `first` on, as many as `values` takes; converts from whatever is stored. Integers do not
    /// come out of stored fractions: reading floats as integers is an error.
    template <Hdf5Number T>
    void read_rows(std::uint64_t first, std::span<T> values) const
    {
        read(first, values.size(), number_type<T>(), values.data());
    }
    template <Hdf5Number T>
    void write_rows(std::uint64_t first, std::span<const T> values)
    {
        write(first, values.size(), number_type<T>(), values.data());
    }

private:
    friend class Hdf5File;
    void expect_stored() const;
    void expect_whole(std::uint64_t first, std::uint64_t rows) const;
    void take_shape(const Hdf5Handle& space);
    void read(std::uint64_t first, std::size_t count, NumberType, void* values) const;
    void write(std::uint64_t first, std::size_t count, NumberType, const void* values);
    Hdf5Handle selection(std::uint64_t first, std::size_t count) const;

    Hdf5Handle handle_;
    std::string label_;
    std::uint64_t rows_ = 0, width_ = 1;
    std::vector<std::uint64_t> inner_;  ///< dimensions of a row that has several
    NumberLayout layout_;
    std::uint64_t file_bytes_ = 0;
    mutable std::uint64_t whole_begin_ = 0, whole_end_ = 0;  ///< rows of chunks that were unpacked once
};

class Hdf5File {
public:
    static Hdf5File open(const std::filesystem::path& file);  ///< for reading
    /// Empties what is there. Messages say `shown`: the name that the file has when it is complete.
    static Hdf5File create(const std::filesystem::path& file, const std::filesystem::path& shown = {});
    /// For reading and for adding objects to what create() made; `shown` as there.
    static Hdf5File extend(const std::filesystem::path& file, const std::filesystem::path& shown);
    void close();  ///< throws IoError when not all could be written, which a destructor could not report

    const std::string& name() const noexcept { return name_; }

    // What the file holds. What is absent gives false or an empty list; damage throws IoError.
    bool has_group(const std::string& path) const;
    bool has_dataset(const std::string& path) const;
    bool has_attribute(const std::string& object, const std::string& attribute) const;
    std::vector<std::string> members(const std::string& group) const;           ///< sorted by name
    std::vector<std::string> attribute_names(const std::string& object) const;  ///< sorted by name

    Hdf5Dataset dataset(const std::string& path) const;  ///< of one or two dimensions, or a scalar
    Hdf5Dataset array(const std::string& path) const;    ///< of up to five
    std::vector<UnitRow> unit_table(const std::string& path) const;
    template <Hdf5Number T>
    std::vector<T> values(const std::string& path) const
    {
        const Hdf5Dataset set = dataset(path);
        std::vector<T> result(set.rows() * set.width());
        set.read_rows<T>(0, result);
        return result;
    }

    bool attribute_is_text(const std::string& object, const std::string& attribute) const;
    NumberLayout attribute_layout(const std::string& object, const std::string& attribute) const;
    std::string text(const std::string& object, const std::string& attribute) const;
    double number(const std::string& object, const std::string& attribute) const;  ///< scalar or length 1
    std::vector<double> numbers(const std::string& object, const std::string& attribute) const;
    std::vector<std::int64_t> integers(const std::string& object, const std::string& attribute) const;

    /// Datasets of rows are from now on stored in chunks of rows, each shuffled and deflated (gzip), which
    /// every reader of HDF5 takes. Throws IoError when the HDF5 library was built without deflate.
    void compress();

    void create_group(const std::string& path);
    /// [rows] when width is 0, else [rows, width]; the values follow by write_rows.
    Hdf5Dataset create_dataset(const std::string& path, NumberType stored, std::uint64_t rows,
                               std::uint64_t width = 0);
    /// Of one to five dimensions.
    Hdf5Dataset create_array(const std::string& path, NumberType stored,
                             std::span<const std::uint64_t> extent);
    /// A dataset of `extent` without storage of its own: its numbers are those of `source`, a dataset of this
    /// file, from row `first` on, in the same order.
    void create_virtual(const std::string& path, std::span<const std::uint64_t> extent,
                        const std::string& source, std::uint64_t first);
    template <Hdf5Number T>
    void write_dataset(const std::string& path, std::span<const T> values)
    {
        create_dataset(path, number_type<T>(), values.size()).write_rows(0, values);
    }
    /// A dataset of one number without dimensions.
    template <Hdf5Number T>
    void write_scalar(const std::string& path, T value)
    {
        create_scalar(path, number_type<T>()).write_rows(0, std::span<const T>(&value, 1));
    }
    void write_unit_table(const std::string& path, std::span<const UnitRow> rows);

    /// A true scalar (0-d).
    template <Hdf5Number T>
    void write_attribute(const std::string& object, const std::string& attribute, T value)
    {
        write_numbers(object, attribute, number_type<T>(), &value, {});
    }
    template <Hdf5Number T, std::size_t n>
    void write_attribute(const std::string& object, const std::string& attribute,
                         const std::array<T, n>& values)
    {
        const std::uint64_t length = n;
        write_numbers(object, attribute, number_type<T>(), values.data(), {&length, 1});
    }
    template <Hdf5Number T, std::size_t n, std::size_t m>
    void write_attribute(const std::string& object, const std::string& attribute,
                         const std::array<std::array<T, m>, n>& values)
    {
        const std::array<std::uint64_t, 2> extent{n, m};
        write_numbers(object, attribute, number_type<T>(), values.data(), extent);
    }
    /// Fixed length: variable-length strings crash some readers. Declared ASCII, or UTF-8 where it is more;
    /// what is not UTF-8 becomes U+FFFD.
    void write_attribute(const std::string& object, const std::string& attribute, std::string_view text);
    void write_attributes(const std::string& object, const Attributes& attributes);

private:
    Hdf5Handle object(const std::string& path) const;
    Hdf5Handle attribute(const std::string& object, const std::string& name) const;
    std::string label(const std::string& object, const std::string& attribute = {}) const;
    template <Hdf5Number T>
    std::vector<T> attribute_values(const std::string& object, const std::string& name) const;
    void write_numbers(const std::string& object, const std::string& attribute, NumberType,
                       const void* values, std::span<const std::uint64_t> extent);
    Hdf5Dataset create_scalar(const std::string& path, NumberType stored);
    Hdf5Dataset create_in(const std::string& path, NumberType stored, const Hdf5Handle& space);

    Hdf5Handle handle_;
    std::string name_;
    std::filesystem::path path_;  ///< of a file that is extended
    std::uint64_t bytes_ = 0;     ///< size of a file opened for reading
    bool compressed_ = false;
};

/// Whether the content of a file is on the disk when the file gets its name.
enum class Sync { no, yes };

/// Creates `file` under a temporary name, calls fill(Hdf5File&), closes it and gives it its name. Throws
/// IoError naming file and object; then the file that stood under that name before is as it was.
template <class Fill>
void write_hdf5(const std::filesystem::path& file, Sync sync, Fill fill)
{
    AtomicFile target(file);
    Hdf5File out = Hdf5File::create(target.temporary(), file);
    fill(out);
    out.close();
    if (sync == Sync::yes) sync_file(target.temporary());
    target.commit();
}
template <class Fill>
void write_hdf5(const std::filesystem::path& file, Fill fill)
{
    write_hdf5(file, Sync::no, std::move(fill));
}

}  // namespace aureole::io
