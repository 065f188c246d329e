// Sound attributes of every kind in files without checksums are not taken for damaged ones.
#include "sim/io/hdf5/old_attributes.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

using io::Hdf5Handle;

Hdf5Handle shape(std::vector<hsize_t> sides, bool growing = false)
{
    if (sides.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
    const std::vector<hsize_t> most(sides.size(), H5S_UNLIMITED);
    return {H5Screate_simple(static_cast<int>(sides.size()), sides.data(), growing ? most.data() : nullptr),
            H5Sclose};
}

void write(const Hdf5Handle& object, const std::string& name, hid_t type, const Hdf5Handle& space,
           const void* values)
{
    const Hdf5Handle attribute(
        H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    ASSERT_GE(H5Awrite(attribute.id(), type, values), 0) << name;
}

Hdf5Handle group_in(const Hdf5Handle& parent, const std::string& name)
{
    return {H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

/// A type of each class; the numbers behind it are zeros.
std::vector<Hdf5Handle> types_of_all_classes()
{
    std::vector<Hdf5Handle> types;
    const auto keep = [&](hid_t type) { types.emplace_back(type, H5Tclose); };
    for (const hid_t plain : {H5T_STD_I8BE, H5T_STD_U64LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_STD_B16LE,
                              H5T_STD_REF_OBJ, H5T_C_S1})
        keep(H5Tcopy(plain));
    keep(H5Tcreate(H5T_OPAQUE, 5));
    H5Tset_tag(types.back().id(), "five bytes of something");
    keep(H5Tcopy(H5T_C_S1));
    H5Tset_size(types.back().id(), 11);
    keep(H5Tcopy(H5T_C_S1));
    H5Tset_size(types.back().id(), H5T_VARIABLE);
    keep(H5Tvlen_create(H5T_STD_I32LE));
    keep(H5Tenum_create(H5T_STD_I8LE));
    for (signed char value = 0; const char* name : {"false", "true", "a longer name"}) {
        H5Tenum_insert(types.back().id(), name, &value);
        ++value;
    }
    const hsize_t sides[] = {2, 3};
    keep(H5Tarray_create2(H5T_IEEE_F64LE, 2, sides));
    const Hdf5Handle inner(H5Tcreate(H5T_COMPOUND, 12), H5Tclose);
    H5Tinsert(inner.id(), "r", 0, H5T_IEEE_F64LE);
    H5Tinsert(inner.id(), "a name of many letters", 8, H5T_STD_I32LE);
    keep(H5Tcreate(H5T_COMPOUND, 600));
    H5Tinsert(types.back().id(), "inner", 0, inner.id());
    H5Tinsert(types.back().id(), "array", 500, types[types.size() - 2].id());
    return types;
}

void write_all_kinds(const std::filesystem::path& file, H5F_libver_t least)
{
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), least, H5F_LIBVER_LATEST);
    const Hdf5Handle made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
    const std::vector<Hdf5Handle> types = types_of_all_classes();
    const std::vector<char> zeros(100000, 0);
    const std::vector<hsize_t> shapes[] = {{}, {1}, {3, 2}, {0}};
    for (std::size_t t = 0; t < types.size(); ++t) {
        const Hdf5Handle group = group_in(made, "group" + std::to_string(t));
        const bool variable = t == 9 || t == 10;  // zeros are no pointers that the library can follow
        for (std::size_t s = 0; s < std::size(shapes) && !variable; ++s)
            for (const bool growing : {false, true})
                write(group, "attribute " + std::to_string(s) + (growing ? " growing" : ""), types[t].id(),
                      shape(shapes[s], growing && s > 0), zeros.data());
    }
    const Hdf5Handle none(H5Screate(H5S_NULL), H5Sclose);
    const Hdf5Handle empty(H5Acreate2(made.id(), "none", H5T_IEEE_F64LE, none.id(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    const char* text = "a text of any length";
    write(made, "text", types[9].id(), shape({}), &text);
    H5Tcommit2(made.id(), "type", types[3].id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write(made, "of a named type", types[3].id(), shape({4}), zeros.data());
    write(made, "long", H5T_STD_I8LE, shape({60000}), zeros.data());
    const Hdf5Handle many = group_in(made, "many");  // several nodes of a tree, several blocks of a header
    for (int k = 0; k < 300; ++k) group_in(many, "member" + std::to_string(k));
    for (int k = 0; k < 100; ++k) write(many, "attribute" + std::to_string(k), H5T_NATIVE_INT, shape({}), &k);
}

TEST(OldAttributes, OfEveryKindAreAccepted)
{
    const TemporaryFolder folder;
    for (const H5F_libver_t least : {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_LATEST}) {
        const auto file = folder / ("all" + std::to_string(least) + ".hdf5");
        write_all_kinds(file, least);
        EXPECT_NO_THROW(io::hdf5::expect_attributes_within_messages(file)) << least;
        EXPECT_EQ(io::Hdf5File::open(file).attribute_names("/many").size(), 100u);
    }
}

TEST(OldAttributes, OfFilesOfOtherCodesAreAccepted)
{
    AUREOLE_TEST_DATA_OR_SKIP(data, ".");
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data))
        if (entry.is_regular_file() && H5Fis_hdf5(entry.path().c_str()) > 0) {
            EXPECT_NO_THROW(io::hdf5::expect_attributes_within_messages(entry.path())) << entry.path();
            ++n;
        }
    EXPECT_GT(n, 0u);
}

}  // namespace
}  // namespace aureole::test
