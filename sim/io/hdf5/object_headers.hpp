// Sizes in the object headers of HDF5 files, before the library relies on them.
#pragma once

#include <filesystem>

namespace aureole::io::hdf5 {

/// Throws IoError naming the file and the place of the first attribute, type, shape or reference to one whose
/// parts are longer than the message that holds them: HDF5 1.10 reads as far as they say. It follows groups
/// and object headers of both versions from the root on, in files with superblocks of versions 0 to 3. What
/// it does not know is left to the library, as what lies outside of the file, what comes after a million
/// entries of groups and headers, and heaps (attributes and members of groups beyond eight in newer files,
/// tables of shared messages), which are under checksums. Cost: one look at each object header.
void expect_messages_within_headers(const std::filesystem::path& file);

}  // namespace aureole::io::hdf5
