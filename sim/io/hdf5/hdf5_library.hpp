// Checked calls of the HDF5 C library, its error messages and number types, and what a file can explain. For
// sim/io/hdf5 and sim/io/compare only.
#pragma once

#include <hdf5.h>

#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::io::hdf5 {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer");

/// To be called before all else: the library no longer prints to stderr, and does nothing at the end of the
/// program.
void prepare();

/// The library's innermost message about the call that has just failed. `extended` is the file of that call,
/// where it may have been too large for its disk.
std::string last_message(const std::filesystem::path& extended = {});

/// Throws IoError "LABEL COMPLAINT: message" for a negative status.
void checked(std::int64_t status, const std::string& label, const char* complaint);
Hdf5Handle owned(hid_t id, herr_t (*closer)(hid_t), const std::string& label, const char* complaint);

hid_t native(NumberType);

/// Creation properties for a group or dataset (H5P_GROUP_CREATE, H5P_DATASET_CREATE) whose attributes stay in
/// its header: from nine on, HDF5 would else move them into a heap of many kilobytes. Without times.
Hdf5Handle creation_properties(hid_t kind, const std::string& label);

/// Throws IoError for anything but integers, floating-point numbers and compounds of r and i.
NumberLayout layout_of(hid_t type, const std::string& label);

/// The most bytes of numbers that the storage of a dataset can stand for, compression allowed for. Throws
/// IoError when its numbers lie in other files, when more is stored for it than the file has, and when its
/// chunks are so large that reading one would take memory that the file does not explain.
std::uint64_t explained_bytes(hid_t dataset, std::uint64_t file_bytes, const std::string& label);

/// Throws IoError when nothing is stored for a dataset, or not every chunk of it: it was created and not
/// written, whatever its fill value is. What the library filled itself (storage allocated early, the rest of
/// a chunk or of a contiguous dataset) cannot be told from numbers. Virtual ones hold nothing: theirs are
/// asked for in explained_bytes().
void expect_written(hid_t dataset, const std::string& label);

/// Throws IoError unless every chunk with rows [first, first + rows) of a dataset unpacks to as many bytes as
/// its sides say: HDF5 1.10 reads beyond its buffer where one is shorter. Returns the row behind these
/// chunks; the largest number where no others have to be looked at, because there are none, or because the
/// dataset is virtual, of which all sources are. Packed chunks are read and inflated for it. Filters that the
/// library loads from elsewhere are left to it.
std::uint64_t expect_whole_chunks(hid_t dataset, std::uint64_t first, std::uint64_t rows,
                                  const std::string& label);

/// The dataset that mapping `k` of a virtual dataset shows; empty when it is in another file.
std::string source_of(hid_t creation, std::size_t k);

}  // namespace aureole::io::hdf5
