// Sizes in the object headers of HDF5 files, before the library relies on them, and in their messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aureole::io::hdf5 {

/// Throws IoError naming the file and the place of the first attribute, type, shape or reference to one whose
/// parts are longer than the message that holds them: HDF5 1.10 reads as far as they say. It follows groups
/// and object headers of both versions from the root on, in files with superblocks of versions 0 to 3. What
/// it does not know is left to the library, as what lies outside of the file, what comes after a million
/// entries of groups and headers, and heaps (attributes and members of groups beyond eight in newer files,
/// tables of shared messages), which are under checksums. Cost: one look at each object header.
void expect_messages_within_headers(const std::filesystem::path& file);

using Bytes = std::span<const std::byte>;

constexpr unsigned shape_message = 0x01, links_message = 0x02, type_message = 0x03,
                   old_fill_value_message = 0x04, fill_value_message = 0x05, link_message = 0x06,
                   layout_message = 0x08, filters_message = 0x0b, attribute_message = 0x0c,
                   shared_table_message = 0x0f, continuation_message = 0x10, symbols_message = 0x11,
                   attributes_message = 0x15;

/// What all messages of a file share.
struct FileFrame {
    unsigned address = 8, length = 8;  ///< bytes of addresses and of lengths
    std::uint64_t file_bytes = 0;      ///< where addresses end
    bool has_shared_messages = false;  ///< a table of them
};

std::uint64_t number_in(Bytes bytes, std::size_t at, std::size_t n);

/// The address of the object header with the type to which a reference leads; nothing where the reference is
/// to a table of shared messages, or too short.
std::optional<std::uint64_t> address_in_reference(Bytes reference, FileFrame frame);

/// The bytes of an element of a type; nothing where the message is too short.
std::optional<std::uint64_t> size_of_type(Bytes type);

/// Where in a message the address of a member of a group stands; nothing for other messages and other links.
std::optional<std::size_t> place_of_linked(unsigned kind, Bytes message, FileFrame frame);

/// Where the addresses of heaps and trees stand in a message about all links or attributes of an object.
std::vector<std::size_t> places_of_storage(unsigned kind, Bytes message, FileFrame frame);

/// "attribute", "type", ...; "message" for others.
std::string_view name_of_message(unsigned kind);

/// The size of the type to which a reference leads, where it is known.
using ReferencedSize = std::function<std::optional<std::uint64_t>(Bytes reference)>;

/// What is longer than a message of this kind, as "a type of 300 bytes, ..."; empty where all fits, for other
/// kinds, and for versions and classes of types that are not known here, which the library refuses. A
/// `shared` message is a reference.
std::string message_fault(unsigned kind, bool shared, Bytes message, FileFrame frame,
                          const ReferencedSize& referenced);

/// The same of fill values, layouts and filters.
std::string dataset_message_fault(unsigned kind, Bytes message, FileFrame frame);

}  // namespace aureole::io::hdf5
