// Sizes in the headers of HDF5 files that carry no checksums, before the library relies on them.
#pragma once

#include <filesystem>

namespace aureole::io::hdf5 {

/// Throws IoError naming the file and the place of the first attribute whose name, type, shape and numbers
/// are longer than the message that holds them: HDF5 1.10 reads as far as they say. It follows groups and
/// object headers of version 1, in files with a superblock of version 0 or 1. Nothing else is judged: what it
/// does not know, what lies outside of the file, and what comes after a million entries of groups and headers
/// is left to the library. Cost: one look at each object header.
void expect_attributes_within_messages(const std::filesystem::path& file);

}  // namespace aureole::io::hdf5
