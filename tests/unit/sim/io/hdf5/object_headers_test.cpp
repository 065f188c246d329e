// Sound attributes, types, shapes and links of every kind are not taken for damaged ones.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/hdf5/header_messages.hpp"
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

/// Without numbers; one that grows has chunks, and filters where these can be packed.
void write_dataset(const Hdf5Handle& parent, hid_t type, bool growing)
{
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk[] = {2, 2};
    if (growing) H5Pset_chunk(properties.id(), 2, chunk);
    if (growing) H5Pset_deflate(properties.id(), 1);
    H5Pset_attr_creation_order(properties.id(), growing ? H5P_CRT_ORDER_TRACKED : 0);
    static int number = 0;
    const Hdf5Handle made(H5Dcreate2(parent.id(), ("numbers" + std::to_string(number++)).c_str(), type,
                                     shape({3, 2}, growing).id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                          H5Dclose);
    ASSERT_GE(made.id(), 0);
}

/// `shared`: in a file that has a table of messages which several objects share.
void write_all_kinds(const std::filesystem::path& file, H5F_libver_t least, bool shared = false)
{
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), least, H5F_LIBVER_LATEST);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    if (shared) H5Pset_shared_mesg_nindexes(creation.id(), 1);
    if (shared) H5Pset_shared_mesg_index(creation.id(), 0, H5O_SHMESG_ALL_FLAG, 8);
    const Hdf5Handle made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose);
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
    H5Lcreate_soft("/group0", made.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.hdf5", "/group0", made.id(), "external", H5P_DEFAULT, H5P_DEFAULT);
    for (std::size_t t = 0; t < types.size(); ++t)
        for (const bool growing : {false, true}) write_dataset(made, types[t].id(), growing);
    write(made, "long", H5T_STD_I8LE, shape({60000}), zeros.data());
    const Hdf5Handle many = group_in(made, "many");  // several nodes of a tree, several blocks of a header
    for (int k = 0; k < 300; ++k) group_in(many, "member" + std::to_string(k));
    for (int k = 0; k < 100; ++k) write(many, "attribute" + std::to_string(k), H5T_NATIVE_INT, shape({}), &k);
}

TEST(ObjectHeaders, OfEveryKindAreAccepted)
{
    const TemporaryFolder folder;
    for (const H5F_libver_t least : {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_LATEST}) {
        const auto file = folder / ("all" + std::to_string(least) + ".hdf5");
        write_all_kinds(file, least);
        EXPECT_NO_THROW(io::hdf5::expect_messages_within_headers(file)) << least;
        EXPECT_EQ(io::Hdf5File::open(file).attribute_names("/many").size(), 100u);
    }
}

TEST(ObjectHeaders, InFilesWithATableOfSharedMessagesAreAccepted)
{
    const TemporaryFolder folder;
    write_all_kinds(folder / "shared.hdf5", H5F_LIBVER_LATEST, true);
    EXPECT_NO_THROW(io::hdf5::expect_messages_within_headers(folder / "shared.hdf5"));
    EXPECT_EQ(io::Hdf5File::open(folder / "shared.hdf5").attribute_names("/many").size(), 100u);
}

TEST(HeaderMessages, AreRefusedWhereTheyEndTooEarly)
{
    using namespace io::hdf5;
    struct Sample {
        unsigned kind;
        bool shared;
        std::vector<int> bytes;
        int more;  ///< zeros behind
    };
    const Sample samples[] = {{shape_message, false, {2, 1, 0, 1}, 8},
                              {type_message, false, {0x11, 0x20, 0x3f, 0, 8, 0, 0, 0}, 12},
                              {type_message, true, {3, 2}, 8},
                              {link_message, false, {1, 0, 4, 't', 'y', 'p', 'e'}, 8},
                              {link_message, false, {1, 8, 1, 2, 'a', 'b', 3, 0, 'x', 'y', 'z'}, 0},
                              {old_fill_value_message, false, {4, 0, 0, 0}, 4},
                              {fill_value_message, false, {2, 1, 0, 1, 8, 0, 0, 0}, 8},
                              {fill_value_message, false, {3, 0x20, 4, 0, 0, 0}, 4},
                              {layout_message, false, {1, 2, 1, 0, 0, 0, 0, 0}, 16},
                              {layout_message, false, {3, 0, 3, 0, 'x', 'y', 'z'}, 0},
                              {layout_message, false, {3, 1}, 16},
                              {layout_message, false, {3, 2, 3}, 20},
                              {layout_message, false, {4, 2, 0, 2, 1, 4, 3, 3, 10}, 8},
                              {filters_message, false, {1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 1, 0}, 16},
                              {filters_message, false, {2, 1, 1, 0, 0, 0, 1, 0}, 4},
                              {attribute_message,
                               false,
                               {3, 0, 2, 0, 8, 0, 4, 0, 0, 'a', 0, 0x13, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0},
                               2},
                              {attribute_message,
                               false,
                               {3, 1, 2, 0, 10, 0, 4, 0, 0, 'a', 0, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0},
                               9}};
    const FileFrame frame{8, 8, 1000, false};
    const auto nine = [](Bytes) { return std::optional<std::uint64_t>(9); };
    for (const Sample& sample : samples) {
        std::vector<std::byte> bytes;
        for (const int byte : sample.bytes) bytes.push_back(static_cast<std::byte>(byte));
        bytes.resize(bytes.size() + static_cast<std::size_t>(sample.more));
        EXPECT_EQ(message_fault(sample.kind, sample.shared, bytes, frame, nine), "") << sample.kind;
        for (std::size_t n = 0; n < bytes.size(); ++n)
            EXPECT_NE(message_fault(sample.kind, sample.shared, Bytes(bytes).first(n), frame, nine), "")
                << "kind " << sample.kind << ", " << n << " of " << bytes.size() << " bytes";
    }
}

TEST(HeaderMessages, ThatLeadOutOfTheFileAreRefused)
{
    using namespace io::hdf5;
    const auto fault = [](unsigned kind, bool shared, std::initializer_list<int> begin) {
        std::vector<std::byte> bytes;
        for (const int byte : begin) bytes.push_back(static_cast<std::byte>(byte));
        bytes.resize(bytes.size() + 20);
        return message_fault(kind, shared, bytes, {8, 8, 1000, false}, {});
    };
    EXPECT_EQ(fault(link_message, false, {1, 0, 1, 'a', 0xe7, 3}), "");
    EXPECT_EQ(fault(link_message, false, {1, 0, 1, 'a', 0xe8, 3}),
              "an address of 1000 in a file of 1000 bytes");
    EXPECT_EQ(fault(type_message, true, {3, 2, 0xe7, 3}), "");
    EXPECT_EQ(fault(type_message, true, {3, 2, 0xe8, 3}), "an address of 1000 in a file of 1000 bytes");
    EXPECT_EQ(fault(links_message, false, {0, 0, 0xe8, 3}), "an address of 1000 in a file of 1000 bytes");
    EXPECT_EQ(fault(type_message, true, {3, 1}),
              "a reference to shared messages, which the file does not have");
    EXPECT_EQ(fault(link_message, false, {2, 0, 1, 'a'}), "version 2 and flags 0");
    EXPECT_EQ(fault(link_message, false, {1, 8, 7, 1, 'a'}), "a kind or an alphabet that does not exist");
}

TEST(ObjectHeaders, OfFilesOfOtherCodesAreAccepted)
{
    AUREOLE_TEST_DATA_OR_SKIP(data, ".");
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data))
        if (entry.is_regular_file() && H5Fis_hdf5(entry.path().c_str()) > 0) {
            EXPECT_NO_THROW(io::hdf5::expect_messages_within_headers(entry.path())) << entry.path();
            ++n;
        }
    EXPECT_GT(n, 0u);
}

}  // namespace
}  // namespace aureole::test
