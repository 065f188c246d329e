#include "tests/fuzz/hdf5_edits.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/fuzz/scratch.hpp"

namespace aureole::fuzz {
namespace {

using io::Hdf5Handle;

/// Bytes taken one after another; zeros after the end.
class Program {
public:
    explicit Program(std::string_view bytes) : rest_(bytes) {}
    bool over() const { return rest_.empty(); }

    std::uint8_t byte()
    {
        if (rest_.empty()) return 0;
        const auto value = static_cast<std::uint8_t>(rest_[0]);
        rest_.remove_prefix(1);
        return value;
    }
    template <class List>
    auto& choice(List& list)
    {
        return list[byte() % std::size(list)];
    }

private:
    std::string_view rest_;
};

double special_number(Program& program)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array numbers{0.0,
                                 1.0,
                                 -1.0,
                                 2.0,
                                 0.5,
                                 1e308,
                                 -1e308,
                                 1e-320,
                                 3.0,
                                 5.0,
                                 1e6,
                                 1e10,
                                 1e19,
                                 4294967295.0,
                                 2147483648.0,
                                 -2147483648.0,
                                 9007199254740993.0,
                                 256.0,
                                 255.0,
                                 65.0,
                                 infinity,
                                 -infinity,
                                 std::numeric_limits<double>::quiet_NaN()};
    return program.choice(numbers);
}

Hdf5Handle type_of(Program& program)
{
    const auto copy = [](hid_t type) { return Hdf5Handle(H5Tcopy(type), H5Tclose); };
    const std::array plain{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,  H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                           H5T_NATIVE_INT64,  H5T_NATIVE_UINT64, H5T_NATIVE_INT8,  H5T_NATIVE_UINT8,
                           H5T_STD_I16BE,     H5T_IEEE_F64BE,    H5T_IEEE_F32BE,   H5T_NATIVE_LDOUBLE};
    const unsigned which = program.byte();
    if (which % 4 != 3) return copy(plain[which / 4 % plain.size()]);
    switch (which / 4 % 8) {
        case 0: {
            Hdf5Handle text = copy(H5T_C_S1);
            H5Tset_size(text.id(), program.byte() + std::size_t{1});
            return text;
        }
        case 1: {
            Hdf5Handle text = copy(H5T_C_S1);
            H5Tset_size(text.id(), H5T_VARIABLE);
            return text;
        }
        case 2:
        case 3: {  // a compound like a complex number, maybe padded
            Hdf5Handle made(H5Tcreate(H5T_COMPOUND, 16 + 16 * std::size_t{program.byte()}), H5Tclose);
            H5Tinsert(made.id(), "r", 0, H5T_NATIVE_DOUBLE);
            H5Tinsert(made.id(), "i", 8, which % 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
            return made;
        }
        case 4: {  // an integer of odd size and precision
            Hdf5Handle odd = copy(H5T_NATIVE_INT64);
            H5Tset_size(odd.id(), program.byte() % 70 + std::size_t{1});
            H5Tset_precision(odd.id(), program.byte() + std::size_t{1});
            return odd;
        }
        case 5:
            return {H5Tenum_create(H5T_NATIVE_INT32), H5Tclose};
        case 6:
            return {H5Tvlen_create(H5T_NATIVE_DOUBLE), H5Tclose};
        default: {
            const hsize_t three = 3;
            return {H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three), H5Tclose};
        }
    }
}

std::vector<hsize_t> shape_of(Program& program)
{
    constexpr std::array<hsize_t, 10> longer{
        2, 10, 18, 100, 1024, 4096, 65536, 1 << 24, hsize_t{1} << 33, hsize_t{1} << 60};
    std::vector<hsize_t> shape(program.byte() % 4);
    for (hsize_t& length : shape) {
        length = program.byte() % 20;
        if (length >= 10) length = longer[length - 10];
    }
    return shape;
}

Hdf5Handle space_of(const std::vector<hsize_t>& shape, bool growing, unsigned kind)
{
    if (kind % 16 == 15) return {H5Screate(H5S_NULL), H5Sclose};
    if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
    const std::vector<hsize_t> most(shape.size(), H5S_UNLIMITED);
    return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), growing ? most.data() : nullptr),
            H5Sclose};
}

constexpr std::uint64_t most_written = 4096;  ///< values, so that an edit takes no time

/// Values for a space of so many points: mostly small counters, some special.
std::vector<double> values_for(Program& program, std::uint64_t n)
{
    std::vector<double> values(n);
    const unsigned kind = program.byte();
    for (std::size_t k = 0; k < n; ++k) values[k] = kind % 4 == 0 ? 0.5 : static_cast<double>(k % 251);
    if (kind % 4 == 2 && n > 0) values[program.byte() % n] = special_number(program);
    if (kind % 4 == 3) std::ranges::fill(values, special_number(program));
    return values;
}

class Editor {
public:
    Editor(hid_t file, Program program, const std::vector<std::string>& paths,
           const std::vector<std::string>& attributes)
        : file_(file), program_(program), paths_(paths), attributes_(attributes)
    {
    }

    void run()
    {
        constexpr int most_edits = 12;
        for (int k = 0; k < most_edits && !program_.over(); ++k) edit();
    }

private:
    void edit()
    {
        const unsigned operation = program_.byte();
        const std::string path = program_.choice(paths_);
        switch (operation % 11) {
            case 0:
                H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
                break;
            case 1:
            case 2:
                return write_attribute(path, program_.choice(attributes_));
            case 3:
            case 4:
                return replace_dataset(path);
            case 5:
            case 6:
                return overwrite_value(path);
            case 7:
                H5Adelete_by_name(file_, path.c_str(), program_.choice(attributes_).c_str(), H5P_DEFAULT);
                break;
            case 8:
                return link(path);
            case 9:
                H5Lmove(file_, path.c_str(), file_, program_.choice(paths_).c_str(), H5P_DEFAULT,
                        H5P_DEFAULT);
                break;
            default:
                return change_attribute(path, program_.choice(attributes_));
        }
    }

    void write_attribute(const std::string& path, const std::string& name)
    {
        H5Adelete_by_name(file_, path.c_str(), name.c_str(), H5P_DEFAULT);
        const Hdf5Handle object(H5Oopen(file_, path.c_str(), H5P_DEFAULT), H5Oclose),
            type = type_of(program_);
        const Hdf5Handle space = space_of(shape_of(program_), false, program_.byte());
        const auto n = H5Sget_simple_extent_npoints(space.id());
        if (n < 0 || static_cast<std::uint64_t>(n) > most_written) return;  // the library would hold them all
        const Hdf5Handle made(
            H5Acreate2(object.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        if (made.id() < 0) return;
        if (H5Tget_class(type.id()) == H5T_STRING)
            write_text(made.id(), type.id(), static_cast<std::size_t>(n));
        else
            H5Awrite(made.id(), H5T_NATIVE_DOUBLE,
                     values_for(program_, static_cast<std::uint64_t>(n)).data());
    }

    void write_text(hid_t attribute, hid_t type, std::size_t n)
    {
        std::string text(program_.byte(), static_cast<char>(program_.byte()));
        if (H5Tis_variable_str(type) > 0) {
            const std::vector<const char*> pointers(n, text.c_str());
            H5Awrite(attribute, type, pointers.data());
        } else {
            text.resize(H5Tget_size(type) * n, 'x');
            H5Awrite(attribute, type, text.data());
        }
    }

    /// One number of an attribute that is there, the type kept.
    void change_attribute(const std::string& path, const std::string& name)
    {
        // held open: HDF5 1.10 does not find the attribute to write to otherwise
        const Hdf5Handle object(H5Oopen(file_, path.c_str(), H5P_DEFAULT), H5Oclose);
        const Hdf5Handle found(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
        if (found.id() < 0) return;
        const Hdf5Handle space(H5Aget_space(found.id()), H5Sclose);
        const auto n = H5Sget_simple_extent_npoints(space.id());
        if (n <= 0 || static_cast<std::uint64_t>(n) > most_written) return;
        std::vector<double> values(static_cast<std::size_t>(n));
        if (H5Aread(found.id(), H5T_NATIVE_DOUBLE, values.data()) < 0) return;
        values[program_.byte() % values.size()] = special_number(program_);
        H5Awrite(found.id(), H5T_NATIVE_DOUBLE, values.data());
    }

    Hdf5Handle storage(const std::vector<hsize_t>& shape)
    {
        Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        const unsigned kind = program_.byte();
        if (kind % 8 == 1) H5Pset_layout(properties.id(), H5D_COMPACT);
        if (kind % 8 == 2 && kind > 127)
            H5Pset_external(properties.id(), "fuzz_input_elsewhere", 0, H5F_UNLIMITED);
        if (kind % 8 == 2 && kind / 64 == 1) {  // numbers of another dataset, or of this very one
            const Hdf5Handle space = space_of(shape, false, 0);
            H5Pset_virtual(properties.id(), space.id(), ".", program_.choice(paths_).c_str(), space.id());
        }
        if (kind % 8 < 3 || shape.empty()) return properties;
        std::vector<hsize_t> chunk(shape.size());
        constexpr hsize_t longest = 1024;  // of a chunk, so that edits take no time
        for (std::size_t k = 0; k < chunk.size(); ++k)
            chunk[k] = std::clamp<hsize_t>(kind & 64 ? 2 * shape[k] : shape[k] / 2 + 1, 1, longest);
        H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data());
        if (kind % 8 == 4) H5Pset_deflate(properties.id(), 6);
        if (kind % 8 == 5) {
            H5Pset_shuffle(properties.id());
            H5Pset_deflate(properties.id(), 9);
        }
        if (kind % 8 == 6) H5Pset_scaleoffset(properties.id(), H5Z_SO_INT, 0);
        if (kind % 8 == 7) H5Pset_fletcher32(properties.id());
        return properties;
    }

    void replace_dataset(const std::string& path)
    {
        const unsigned how = program_.byte();
        std::vector<hsize_t> shape = shape_now(path);
        if (how % 2 == 0 || shape.empty())
            shape = shape_of(program_);
        else
            shape[program_.byte() % shape.size()] += how % 3 == 0 ? 1 : ~hsize_t{0};
        H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
        const Hdf5Handle type = type_of(program_), space = space_of(shape, how & 4, program_.byte()),
                         properties = storage(shape);
        const Hdf5Handle made(
            H5Dcreate2(file_, path.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
            H5Dclose);
        if (H5Pget_external_count(properties.id()) > 0) return;     // would write another file
        if (H5Pget_layout(properties.id()) == H5D_VIRTUAL) return;  // would write another dataset
        const auto n = H5Sget_simple_extent_npoints(space.id());
        if (made.id() < 0 || n <= 0 || static_cast<std::uint64_t>(n) > most_written || how & 8) return;
        H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 values_for(program_, static_cast<std::uint64_t>(n)).data());
        if (how & 32) replace_chunk(made.id(), properties.id(), shape.size());
    }

    /// The first chunk becomes bytes of the program, as they are or deflated.
    void replace_chunk(hid_t set, hid_t properties, std::size_t rank)
    {
        if (H5Pget_layout(properties) != H5D_CHUNKED) return;
        const unsigned kind = program_.byte();
        std::vector<unsigned char> stored(8 * std::size_t{program_.byte()} + kind % 8);
        for (unsigned char& value : stored) value = program_.byte();
        if (kind & 8) {
            std::vector<unsigned char> packed(compressBound(stored.size()));
            uLongf bytes = packed.size();
            compress(packed.data(), &bytes, stored.data(), stored.size());
            stored.assign(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(bytes));
        }
        const std::vector<hsize_t> corner(rank, 0);
        H5Dwrite_chunk(set, H5P_DEFAULT, kind & 16 ? program_.byte() : 0, corner.data(), stored.size(),
                       stored.data());
        has_odd_chunks_ = true;
    }

    std::vector<hsize_t> shape_now(const std::string& path) const
    {
        const Hdf5Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
        if (set.id() < 0) return {};
        const Hdf5Handle space(H5Dget_space(set.id()), H5Sclose);
        const int rank = H5Sget_simple_extent_ndims(space.id());
        std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
        if (rank > 0) H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
        return shape;
    }

    void overwrite_value(const std::string& path)
    {
        std::uint64_t n = 1;
        for (const hsize_t length : shape_now(path)) n = length > most_written ? 0 : n * length;
        const Hdf5Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
        // HDF5 1.10 reads beyond its buffer where a chunk is too short
        if (set.id() < 0 || n == 0 || n > most_written || has_odd_chunks_) return;
        const Hdf5Handle properties(H5Dget_create_plist(set.id()), H5Pclose);
        if (H5Pget_layout(properties.id()) == H5D_VIRTUAL) return;  // the library does not survive circles
        std::vector<double> values(n);
        if (H5Dread(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return;
        values[program_.byte() % n] = special_number(program_);
        H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }

    void link(const std::string& path)
    {
        const std::string to = program_.choice(paths_);
        const unsigned kind = program_.byte();
        if (kind & 4) H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
        const std::string from = kind & 4 ? path : fmt::format("{}/link{}", path == "/" ? "" : path, kind);
        if (kind % 4 == 0) H5Lcreate_soft(to.c_str(), file_, from.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        if (kind % 4 == 1) H5Lcreate_hard(file_, to.c_str(), file_, from.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        if (kind % 4 == 2)
            H5Lcreate_external("fuzz_input_elsewhere", "/", file_, from.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        if (kind % 4 == 3) H5Gclose(H5Gcreate2(file_, from.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }

    hid_t file_;
    bool has_odd_chunks_ = false;
    Program program_;
    const std::vector<std::string>& paths_;
    const std::vector<std::string>& attributes_;
};

Hdf5Handle opened(const std::filesystem::path& file)
{
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
    return {H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose};
}

}  // namespace

Hdf5Image::Hdf5Image(const std::filesystem::path& name) : bytes_(content_of(name)), paths_{"/"}
{
    const Hdf5Handle file = opened(name);
    const auto keep = [](hid_t, const char* name, const H5O_info_t*, void* paths) -> herr_t {
        if (std::strcmp(name, ".") != 0)
            static_cast<std::vector<std::string>*>(paths)->push_back("/" + std::string(name));
        return 0;
    };
    H5Ovisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, keep, &paths_);
    const auto keep_name = [](hid_t, const char* name, const H5A_info_t*, void* names) -> herr_t {
        static_cast<std::vector<std::string>*>(names)->emplace_back(name);
        return 0;
    };
    for (const std::string& path : paths_) {
        const Hdf5Handle object(H5Oopen(file.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
        H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep_name, &attributes_);
    }
    std::ranges::sort(attributes_);
    attributes_.erase(std::unique(attributes_.begin(), attributes_.end()), attributes_.end());
    attributes_.emplace_back("unknown");
}

std::filesystem::path Hdf5Image::put_edited(const std::string& name, std::string_view program) const
{
    const std::filesystem::path path = put(name, bytes_);
    const Hdf5Handle file = opened(path);
    Editor(file.id(), Program(program), paths_, attributes_).run();
    return path;
}

}  // namespace aureole::fuzz
