// How many bytes of numbers a file can explain, so that a small file cannot lead to a large allocation; and
// whether they were written at all, because the library silently reads fill values where nothing is stored.
#include <algorithm>
#include <array>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"

namespace aureole::io::hdf5 {
namespace {

/// Scale-offset and others squeeze a chunk of equal values into a few bytes; beyond this they are held to
/// what gzip reaches.
constexpr std::uint64_t squeezed_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t squeezed_expansion = std::uint64_t{1} << 20;

constexpr std::uint64_t small_chunk_bytes = std::uint64_t{1} << 20;

/// Whether the filters of a dataset change nothing in the number of bytes, are gzip's, or others.
enum class Packing { none, deflate, other };

Packing packing_of(hid_t creation)
{
    Packing packing = Packing::none;
    const int n_filters = H5Pget_nfilters(creation);
    for (int k = 0; k < n_filters; ++k) {
        std::size_t n_parameters = 0;
        const auto filter = H5Pget_filter2(creation, static_cast<unsigned>(k), nullptr, &n_parameters,
                                           nullptr, 0, nullptr, nullptr);
        if (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32) continue;
        packing =
            filter == H5Z_FILTER_DEFLATE && packing == Packing::none ? Packing::deflate : Packing::other;
    }
    return packing;
}

std::uint64_t expanded(std::uint64_t stored, Packing packing)
{
    if (packing == Packing::none) return stored;
    const std::uint64_t deflated = stored * deflate_expansion;
    if (packing == Packing::deflate) return deflated;
    return std::max(deflated, std::min(stored * squeezed_expansion, squeezed_bytes));
}

/// Bytes of a chunk, the largest number where they are more than 64 bits count; 0 without chunks.
std::uint64_t chunk_bytes(hid_t dataset, hid_t creation)
{
    if (H5Pget_layout(creation) != H5D_CHUNKED) return 0;
    std::array<hsize_t, H5S_MAX_RANK> sides{};
    const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, sides.data());
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    std::uint64_t bytes = H5Tget_size(type.id());
    for (int k = 0; k < rank; ++k)
        if (__builtin_mul_overflow(bytes, sides[static_cast<std::size_t>(k)], &bytes))
            return ~std::uint64_t{0};
    return bytes;
}

std::uint64_t points_of(hid_t space, const std::string& label)
{
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    checked(points, label, "has no shape");
    return static_cast<std::uint64_t>(points);
}

/// The chunks that cover a dataset, and how many of them the file has.
struct Chunks {
    std::uint64_t expected = 0, stored = 0;
};

Chunks chunks_of(hid_t dataset, hid_t creation, hid_t space, const std::string& label)
{
    std::array<hsize_t, H5S_MAX_RANK> sides{}, extent{};
    const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, sides.data());
    checked(rank, label, "has no readable chunks");
    checked(H5Sget_simple_extent_dims(space, extent.data(), nullptr), label, "has no shape");
    Chunks chunks{1, 0};
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k)
        if (const hsize_t along = (extent[k] - 1) / std::max<hsize_t>(sides[k], 1) + 1;
            __builtin_mul_overflow(chunks.expected, along, &chunks.expected))
            chunks.expected = ~std::uint64_t{0};  // only of a damaged file: more chunks than it can have
    hsize_t stored = 0;
    checked(H5Dget_num_chunks(dataset, space, &stored), label, "has chunks that cannot be counted");
    chunks.stored = stored;
    return chunks;
}

/// How many numbers the file can explain that a dataset holds of its own.
std::uint64_t explained_numbers(hid_t beside, const std::string& name, std::uint64_t file_bytes,
                                const std::string& label)
{
    const std::string source = fmt::format("{}: its source {}", label, name);
    const Hdf5Handle dataset = owned(H5Dopen2(beside, name.c_str(), H5P_DEFAULT), H5Dclose, source,
                                     "cannot be opened");  // the library would read zeros
    const Hdf5Handle creation = owned(H5Dget_create_plist(dataset.id()), H5Pclose, source, "is damaged");
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL)
        throw IoError(fmt::format("{} is virtual too; chains of them are not followed", source));
    const Hdf5Handle type = owned(H5Dget_type(dataset.id()), H5Tclose, source, "has no type"),
                     space = owned(H5Dget_space(dataset.id()), H5Sclose, source, "has no shape");
    const std::uint64_t explained = explained_bytes(dataset.id(), file_bytes, source);
    expect_written(dataset.id(), source);
    return std::min(explained / layout_of(type.id(), source).bytes, points_of(space.id(), source));
}

/// Bytes of a virtual dataset that are mapped to numbers of this very file; 0 when some are elsewhere.
std::uint64_t bytes_mapped_within(hid_t dataset, hid_t creation, std::uint64_t file_bytes,
                                  const std::string& label)
{
    std::size_t n_mappings = 0;
    if (H5Pget_virtual_count(creation, &n_mappings) < 0) return 0;
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    std::uint64_t points = 0;
    for (std::size_t k = 0; k < n_mappings; ++k) {
        const std::string source = source_of(creation, k);
        if (source.empty()) return 0;
        const Hdf5Handle space(H5Pget_virtual_vspace(creation, k), H5Sclose);
        const auto mapped =
            static_cast<std::uint64_t>(std::max<hssize_t>(H5Sget_select_npoints(space.id()), 0));
        points += std::min(mapped, explained_numbers(dataset, source, file_bytes, label));
    }
    return points * H5Tget_size(type.id());
}

/// HDF5 1.10 copies what the shape says from a header that holds less.
void expect_held_compactly(hid_t dataset, std::uint64_t stored, const std::string& label)
{
    const Hdf5Handle space = owned(H5Dget_space(dataset), H5Sclose, label, "has no shape"),
                     type = owned(H5Dget_type(dataset), H5Tclose, label, "has no type");
    const std::uint64_t points = points_of(space.id(), label), bytes = H5Tget_size(type.id());
    if (bytes == 0 || points > stored / bytes)
        throw IoError(fmt::format("{} has {} numbers of {} bytes, but {} bytes are stored for it", label,
                                  points, bytes, stored));
}

}  // namespace

std::string source_of(hid_t creation, std::size_t k)
{
    std::array<char, 2> file{};
    if (H5Pget_virtual_filename(creation, k, file.data(), file.size()) != 1 || file[0] != '.') return {};
    const ssize_t length = H5Pget_virtual_dsetname(creation, k, nullptr, 0);
    if (length <= 0) return {};
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Pget_virtual_dsetname(creation, k, name.data(), name.size() + 1);
    return name;
}

std::uint64_t explained_bytes(hid_t dataset, std::uint64_t file_bytes, const std::string& label)
{
    const Hdf5Handle creation =
        owned(H5Dget_create_plist(dataset), H5Pclose, label, "has no readable storage");
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL)
        if (const std::uint64_t mapped = bytes_mapped_within(dataset, creation.id(), file_bytes, label);
            mapped > 0)
            return std::min(mapped, file_bytes * deflate_expansion);
    // This file cannot tell whether other files hold the numbers: absent sources would read as zeros.
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0)
        throw IoError(
            fmt::format("{} is stored in other files (virtual or external), which are not followed; give one "
                        "of the files that hold the particles",
                        label));
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    if (stored > file_bytes)
        throw IoError(
            fmt::format("{}: {} bytes are stored for it in a file of {} bytes", label, stored, file_bytes));
    if (H5Pget_layout(creation.id()) == H5D_COMPACT) expect_held_compactly(dataset, stored, label);
    const std::uint64_t explained = expanded(stored, packing_of(creation.id()));
    const std::uint64_t chunk = chunk_bytes(dataset, creation.id());
    if (stored > 0 && chunk > std::max(explained, small_chunk_bytes))
        throw IoError(fmt::format("{} has chunks of {} bytes, but {} bytes are stored for it in all", label,
                                  chunk, stored));
    return explained;
}

void expect_written(hid_t dataset, const std::string& label)
{
    const Hdf5Handle creation =
                         owned(H5Dget_create_plist(dataset), H5Pclose, label, "has no readable storage"),
                     space = owned(H5Dget_space(dataset), H5Sclose, label, "has no shape"),
                     type = owned(H5Dget_type(dataset), H5Tclose, label, "has no type");
    const std::uint64_t points = points_of(space.id(), label);
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (points == 0 || layout == H5D_VIRTUAL) return;
    constexpr char advice[] = "HDF5 would read fill values; write it or remove it";
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    if (stored == 0)
        throw IoError(
            fmt::format("{} was never written: 0 bytes are stored for it, expected {} numbers of {} bytes "
                        "({})",
                        label, points, H5Tget_size(type.id()), advice));
    if (layout != H5D_CHUNKED) return;
    if (const Chunks chunks = chunks_of(dataset, creation.id(), space.id(), label);
        chunks.stored < chunks.expected)
        throw IoError(fmt::format("{} was written in part: {} of its {} chunks are stored, {} bytes ({})",
                                  label, chunks.stored, chunks.expected, stored, advice));
}

}  // namespace aureole::io::hdf5
