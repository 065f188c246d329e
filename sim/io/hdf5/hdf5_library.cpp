#include "sim/io/hdf5/hdf5_library.hpp"

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace aureole::io::hdf5 {

void prepare()
{
    // At the end of the program the library would write once more what a full disk did not take, and crash.
    // All objects are closed by their owners, which report errors.
    static const herr_t without_end = H5dont_atexit();
    static_cast<void>(without_end);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

namespace {

/// The text in quotes behind `key`; empty where `key` is missing.
std::string quoted_after(const std::string& text, std::string_view key)
{
    const std::size_t at = text.find(key);
    if (at == std::string::npos || at + key.size() >= text.size()) return {};
    const std::size_t first = at + key.size() + 1;
    return text.substr(first, text.find('\'', first) - first);
}

}  // namespace

std::string last_message(const std::filesystem::path& extended)
{
    std::string message;
    const auto keep_first = [](unsigned depth, const H5E_error2_t* error, void* kept) -> herr_t {
        if (depth == 0 && error->desc) *static_cast<std::string*>(kept) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
    // Of a write that failed, the message holds the reason of the system and the name of the file.
    if (const std::string reason = quoted_after(message, "error message = "); !reason.empty()) {
        if (message.starts_with("file write failed"))
            message = fmt::format("{} ({})", reason, disk_space(quoted_after(message, "filename = ")));
        else if (!extended.empty())
            message = fmt::format("{} ({})", reason, disk_space(extended));
        else
            message = reason;
    }
    return message.empty() ? "no reason given" : message;
}

void checked(std::int64_t status, const std::string& label, const char* complaint)
{
    if (status < 0) throw IoError(fmt::format("{} {}: {}", label, complaint, last_message()));
}

Hdf5Handle owned(hid_t id, herr_t (*closer)(hid_t), const std::string& label, const char* complaint)
{
    checked(id, label, complaint);
    return {id, closer};
}

namespace {

/// Lives as long as the program.
hid_t complex_type()
{
    static const hid_t type = [] {
        const hid_t made = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
        H5Tinsert(made, "r", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(made, "i", sizeof(double), H5T_NATIVE_DOUBLE);
        return made;
    }();
    return type;
}

bool is_complex(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
    return H5Tget_member_index(type, "r") >= 0 && H5Tget_member_index(type, "i") >= 0 &&
           H5Tget_member_class(type, 0) == H5T_FLOAT && H5Tget_member_class(type, 1) == H5T_FLOAT;
}

}  // namespace

hid_t native(NumberType type)
{
    switch (type) {
        case NumberType::u8:
            return H5T_NATIVE_UINT8;
        case NumberType::u16:
            return H5T_NATIVE_UINT16;
        case NumberType::i32:
            return H5T_NATIVE_INT32;
        case NumberType::u32:
            return H5T_NATIVE_UINT32;
        case NumberType::i64:
            return H5T_NATIVE_INT64;
        case NumberType::u64:
            return H5T_NATIVE_UINT64;
        case NumberType::f32:
            return H5T_NATIVE_FLOAT;
        case NumberType::f64:
            return H5T_NATIVE_DOUBLE;
        case NumberType::c128:
            return complex_type();
    }
    throw Error("a number type without a native HDF5 type");
}

Hdf5Handle creation_properties(hid_t kind, const std::string& label)
{
    constexpr unsigned most_in_header = 64;
    Hdf5Handle properties = owned(H5Pcreate(kind), H5Pclose, label, "cannot be created");
    checked(H5Pset_attr_phase_change(properties.id(), most_in_header, most_in_header / 2), label,
            "cannot be created");
    // Times of objects are left out, so that equal runs write equal bytes.
    checked(H5Pset_obj_track_times(properties.id(), false), label, "cannot be created");
    return properties;
}

NumberLayout layout_of(hid_t type, const std::string& label)
{
    constexpr std::size_t longest = 16;  // bytes of a number; the library's buffers are not made for any
    const std::size_t bytes = H5Tget_size(type);
    if (is_complex(type) && bytes <= 2 * longest) return {false, true, bytes, true};
    const H5T_class_t kind = H5Tget_class(type);
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || bytes > longest)
        throw IoError(fmt::format("{} does not hold plain numbers", label));
    return {kind == H5T_INTEGER, kind == H5T_FLOAT || H5Tget_sign(type) == H5T_SGN_2, bytes};
}

}  // namespace aureole::io::hdf5
