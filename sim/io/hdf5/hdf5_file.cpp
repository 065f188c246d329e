// Files and attributes; datasets are in hdf5_dataset.cpp. Files are written in the format of HDF5 1.8 and
// later, whose headers carry checksums, so that a flipped bit is an error, and whose attributes may be long.
#include "sim/io/hdf5/hdf5_file.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"
#include "sim/io/hdf5/header_messages.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::io {

using hdf5::checked;
using hdf5::owned;

bool Hdf5Handle::close() noexcept
{
    if (id_ < 0) return true;
    const bool good = closer_(id_) >= 0;
    id_ = -1;
    return good;
}

Hdf5File Hdf5File::open(const std::filesystem::path& file)
{
    hdf5::prepare();
    Hdf5File result;
    result.name_ = file.string();
    std::error_code failed;
    result.bytes_ = std::filesystem::file_size(file, failed);
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", result.name_, failed.message()));
    hdf5::expect_messages_within_headers(file);
    result.handle_ = owned(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, result.name_,
                           "cannot be opened as HDF5");
    return result;
}

namespace {

/// Files of HDF5 1.8 and no later.
Hdf5Handle format_of_files(const std::string& name, const char* complaint)
{
    Hdf5Handle access = owned(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name, complaint);
    checked(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), name, complaint);
    return access;
}

}  // namespace

Hdf5File Hdf5File::extend(const std::filesystem::path& file, const std::filesystem::path& shown)
{
    hdf5::prepare();
    Hdf5File result;
    result.name_ = shown.string();
    result.path_ = file;
    std::error_code failed;
    result.bytes_ = std::filesystem::file_size(file, failed);
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", result.name_, failed.message()));
    const Hdf5Handle access = format_of_files(result.name_, "cannot be opened");
    result.handle_ = owned(H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose, result.name_,
                           "cannot be opened for writing");
    return result;
}

Hdf5File Hdf5File::create(const std::filesystem::path& file, const std::filesystem::path& shown)
{
    hdf5::prepare();
    Hdf5File result;
    result.name_ = (shown.empty() ? file : shown).string();
    result.path_ = file;
    const Hdf5Handle access = format_of_files(result.name_, "cannot be created");
    const Hdf5Handle creation =
        owned(H5Pcreate(H5P_FILE_CREATE), H5Pclose, result.name_, "cannot be created");
    checked(H5Pset_obj_track_times(creation.id(), false), result.name_, "cannot be created");  // of the root
    result.handle_ = owned(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose,
                           result.name_, "cannot be created");
    return result;
}

void Hdf5File::close()
{
    if (!handle_.close())
        throw IoError(fmt::format("{}: cannot be completed: {}", name_, hdf5::last_message(path_)));
}

std::string Hdf5File::label(const std::string& object, const std::string& attribute) const
{
    return attribute.empty() ? fmt::format("{}: {}", name_, object)
                             : fmt::format("{}: attribute {} of {}", name_, attribute, object);
}

namespace {

/// The kind of object behind a path; H5I_BADID when a part of the path does not exist. Throws IoError for
/// what exists and cannot be opened: damage must not pass for absence.
H5I_type_t kind_of(hid_t file, const std::string& path, const std::string& label)
{
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        const htri_t exists = part == "/" ? 1 : H5Lexists(file, part.c_str(), H5P_DEFAULT);
        checked(exists, label, "cannot be looked for");
        if (exists == 0) return H5I_BADID;
        if (slash == std::string::npos) break;
    }
    const Hdf5Handle object = owned(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, label, "is damaged");
    return H5Iget_type(object.id());
}

}  // namespace

bool Hdf5File::has_group(const std::string& path) const
{
    return kind_of(handle_.id(), path, label(path)) == H5I_GROUP;
}

bool Hdf5File::has_dataset(const std::string& path) const
{
    return kind_of(handle_.id(), path, label(path)) == H5I_DATASET;
}

bool Hdf5File::has_attribute(const std::string& object_path, const std::string& attribute_name) const
{
    const std::string what = label(object_path, attribute_name);
    if (kind_of(handle_.id(), object_path, what) == H5I_BADID) return false;
    const htri_t exists =
        H5Aexists_by_name(handle_.id(), object_path.c_str(), attribute_name.c_str(), H5P_DEFAULT);
    checked(exists, what, "cannot be looked for");
    return exists > 0;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const
{
    std::vector<std::string> result;
    if (!has_group(group)) return result;
    // All names are taken in one pass, in the order in which they are stored: for any other order the library
    // makes a list of its own, sorts it for each name by index, and frees garbage when a name of a damaged
    // group of many cannot be read (H5G__dense_iterate of HDF5 1.10).
    const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
        static_cast<std::vector<std::string>*>(names)->emplace_back(name);
        return 0;
    };
    checked(H5Literate(object(group).id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, keep, &result),
            label(group), "cannot be listed");
    std::ranges::sort(result);
    return result;
}

std::vector<std::string> Hdf5File::attribute_names(const std::string& path) const
{
    std::vector<std::string> result;
    if (kind_of(handle_.id(), path, label(path)) == H5I_BADID) return result;
    const Hdf5Handle listed = object(path);
    // Looking for a name decodes all attributes. Where one is damaged this fails, as listing them would, and
    // frees no garbage, as listing would (H5A__attr_release_table of HDF5 1.10).
    checked(H5Aexists(listed.id(), "/"), label(path), "has attributes that are damaged");
    // in the order in which they are stored, as in members()
    const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* names) -> herr_t {
        static_cast<std::vector<std::string>*>(names)->emplace_back(name);
        return 0;
    };
    checked(H5Aiterate2(listed.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, keep, &result), label(path),
            "has attributes that cannot be listed");
    std::ranges::sort(result);
    return result;
}

Hdf5Handle Hdf5File::object(const std::string& path) const
{
    return owned(H5Oopen(handle_.id(), path.c_str(), H5P_DEFAULT), H5Oclose, label(path), "cannot be opened");
}

Hdf5Handle Hdf5File::attribute(const std::string& object_path, const std::string& attribute_name) const
{
    return owned(
        H5Aopen_by_name(handle_.id(), object_path.c_str(), attribute_name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, label(object_path, attribute_name), "cannot be opened");
}

bool Hdf5File::attribute_is_text(const std::string& path, const std::string& attribute_name) const
{
    const Hdf5Handle found = attribute(path, attribute_name);
    const Hdf5Handle type(H5Aget_type(found.id()), H5Tclose);
    return H5Tget_class(type.id()) == H5T_STRING;
}

NumberLayout Hdf5File::attribute_layout(const std::string& path, const std::string& attribute_name) const
{
    const Hdf5Handle found = attribute(path, attribute_name);
    const Hdf5Handle type(H5Aget_type(found.id()), H5Tclose);
    return hdf5::layout_of(type.id(), label(path, attribute_name));
}

template <Hdf5Number T>
std::vector<T> Hdf5File::attribute_values(const std::string& path, const std::string& attribute_name) const
{
    const std::string what = label(path, attribute_name);
    const Hdf5Handle found = attribute(path, attribute_name);
    const Hdf5Handle type = owned(H5Aget_type(found.id()), H5Tclose, what, "has no type");
    const NumberLayout layout = hdf5::layout_of(type.id(), what);
    if (std::is_integral_v<T> && !layout.integer)
        throw IoError(fmt::format("{} holds fractions, expected integers", what));
    const Hdf5Handle space = owned(H5Aget_space(found.id()), H5Sclose, what, "has no extent");
    const auto count = H5Sget_simple_extent_npoints(space.id());
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes_)
        throw IoError(fmt::format("{} claims {} values, more than the file has bytes", what, count));
    std::vector<T> result(static_cast<std::size_t>(count));
    if (count > 0)
        checked(H5Aread(found.id(), hdf5::native(number_type<T>()), result.data()), what, "cannot be read");
    return result;
}

std::vector<double> Hdf5File::numbers(const std::string& path, const std::string& attribute_name) const
{
    std::vector<double> result = attribute_values<double>(path, attribute_name);
    for (double value : result)
        if (!std::isfinite(value))
            throw IoError(
                fmt::format("{} is {}, expected a finite number", label(path, attribute_name), value));
    return result;
}

std::vector<std::int64_t> Hdf5File::integers(const std::string& path, const std::string& attribute_name) const
{
    return attribute_values<std::int64_t>(path, attribute_name);
}

double Hdf5File::number(const std::string& path, const std::string& attribute_name) const
{
    const std::vector<double> result = numbers(path, attribute_name);
    if (result.size() != 1)
        throw IoError(
            fmt::format("{} has {} values, expected one", label(path, attribute_name), result.size()));
    return result[0];
}

std::string Hdf5File::text(const std::string& path, const std::string& attribute_name) const
{
    const std::string what = label(path, attribute_name);
    const Hdf5Handle found = attribute(path, attribute_name);
    const Hdf5Handle type = owned(H5Aget_type(found.id()), H5Tclose, what, "has no type");
    const Hdf5Handle space = owned(H5Aget_space(found.id()), H5Sclose, what, "has no extent");
    if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1)
        throw IoError(fmt::format("{} is not one text", what));
    if (H5Tis_variable_str(type.id()) > 0) {
        char* content = nullptr;
        checked(H5Aread(found.id(), type.id(), &content), what, "cannot be read");
        const std::string result = content ? content : "";
        H5free_memory(content);
        return result;
    }
    const std::size_t size = H5Tget_size(type.id());
    if (size > bytes_) throw IoError(fmt::format("{} claims {} characters, more than the file", what, size));
    std::string result(size, '\0');
    checked(H5Aread(found.id(), type.id(), result.data()), what, "cannot be read");
    result.resize(std::min(result.find('\0'), result.size()));
    return result;
}

void Hdf5File::create_group(const std::string& path)
{
    const Hdf5Handle properties = hdf5::creation_properties(H5P_GROUP_CREATE, label(path));
    owned(H5Gcreate2(handle_.id(), path.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose,
          label(path), "cannot be created");
}

void Hdf5File::write_numbers(const std::string& path, const std::string& attribute_name, NumberType type,
                             const void* values, std::span<const std::uint64_t> extent)
{
    const std::string what = label(path, attribute_name);
    const Hdf5Handle parent = object(path);
    const std::vector<hsize_t> sides(extent.begin(), extent.end());
    const Hdf5Handle space =
        owned(sides.empty() ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr),
              H5Sclose, what, "cannot be created");
    const Hdf5Handle created = owned(H5Acreate2(parent.id(), attribute_name.c_str(), hdf5::native(type),
                                                space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                     H5Aclose, what, "cannot be created");
    checked(H5Awrite(created.id(), hdf5::native(type), values), what, "cannot be written");
}

void Hdf5File::write_attribute(const std::string& path, const std::string& attribute_name,
                               std::string_view text)
{
    const std::string what = label(path, attribute_name);
    const std::string content = text.empty() ? std::string(1, '\0') : valid_utf8(text);
    const bool ascii = std::ranges::all_of(content, [](unsigned char c) { return c < 0x80; });
    const Hdf5Handle parent = object(path);
    const Hdf5Handle type = owned(H5Tcopy(H5T_C_S1), H5Tclose, what, "cannot be created");
    checked(H5Tset_size(type.id(), content.size()), what, "cannot be created");
    checked(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), what, "cannot be created");
    checked(H5Tset_cset(type.id(), ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), what, "cannot be created");
    const Hdf5Handle space = owned(H5Screate(H5S_SCALAR), H5Sclose, what, "cannot be created");
    const Hdf5Handle created = owned(
        H5Acreate2(parent.id(), attribute_name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, what, "cannot be created");
    checked(H5Awrite(created.id(), type.id(), content.data()), what, "cannot be written");
}

void Hdf5File::write_attributes(const std::string& path, const Attributes& attributes)
{
    for (const auto& attribute : attributes)
        std::visit([&](const auto& content) { write_attribute(path, attribute.first, content); },
                   attribute.second);
}

}  // namespace aureole::io
