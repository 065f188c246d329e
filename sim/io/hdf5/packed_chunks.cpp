// Whether chunks unpack to as many bytes as their shape says. HDF5 1.10 does not compare the two, and reads
// beyond its buffer where a chunk is shorter.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_library.hpp"

namespace aureole::io::hdf5 {
namespace {

using Content = std::vector<unsigned char>;

struct Filter {
    H5Z_filter_t id = 0;
    std::vector<unsigned> parameters;
};

/// A chunk while its filters are undone. Of some filters only the size of what they return is worked out.
struct Chunk {
    std::uint64_t size = 0;
    std::optional<Content> content;
};

/// What a step of unpacking found: false where the library would read what is not there.
using Sound = bool;

std::vector<Filter> filters_of(hid_t creation)
{
    std::vector<Filter> filters(static_cast<std::size_t>(std::max(H5Pget_nfilters(creation), 0)));
    for (std::size_t k = 0; k < filters.size(); ++k) {
        std::array<unsigned, 64> parameters{};
        std::size_t n = parameters.size();
        unsigned flags = 0;
        filters[k].id = H5Pget_filter2(creation, static_cast<unsigned>(k), &flags, &n, parameters.data(), 0,
                                       nullptr, nullptr);
        filters[k].parameters.assign(parameters.begin(), parameters.begin() + std::min(n, parameters.size()));
    }
    return filters;
}

std::uint64_t little_endian(const Content& content)
{
    std::uint64_t value = 0;
    for (std::size_t k = 4; k-- > 0;) value = value << 8 | content[k];
    return value;
}

/// Keeps what comes out only where a later filter needs it.
Sound inflate_chunk(Chunk& chunk, std::uint64_t most, bool keep)
{
    if (!chunk.content) return false;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw MemoryError("no memory to unpack a chunk of an HDF5 file");
    stream.next_in = chunk.content->data();
    stream.avail_in = static_cast<uInt>(chunk.content->size());
    Content out, window(std::size_t{1} << 16);
    int status = Z_OK;
    std::uint64_t size = 0;
    while (status == Z_OK && size <= most) {
        stream.next_out = window.data();
        stream.avail_out = static_cast<uInt>(window.size());
        status = inflate(&stream, Z_NO_FLUSH);
        const std::size_t n = window.size() - stream.avail_out;
        size += n;
        if (keep) out.insert(out.end(), window.begin(), window.begin() + static_cast<std::ptrdiff_t>(n));
    }
    inflateEnd(&stream);
    chunk.size = size;
    chunk.content.reset();
    if (keep) chunk.content = std::move(out);
    return status == Z_STREAM_END;
}

/// The bytes of numbers of `width` bytes lie one place after another; what is left over lies at the end.
void undo_shuffle(Chunk& chunk, const std::vector<unsigned>& parameters)
{
    const std::size_t width = parameters.empty() ? 1 : parameters[0];
    if (!chunk.content || width < 2) return;
    const Content& in = *chunk.content;
    Content out = in;
    const std::size_t n = in.size() / width;
    for (std::size_t place = 0; place < width; ++place)
        for (std::size_t k = 0; k < n; ++k) out[k * width + place] = in[place * n + k];
    chunk.content = std::move(out);
}

/// The header of szip's filter is the size of what it returns.
Sound undo_szip(Chunk& chunk)
{
    if (!chunk.content || chunk.size < 4) return false;
    chunk = {little_endian(*chunk.content), {}};
    return true;
}

bool holds_bits(std::uint64_t bytes, std::uint64_t numbers, std::uint64_t bits_each)
{
    return bits_each == 0 || numbers <= bytes * 8 / bits_each;
}

/// Whether so many numbers of a width have no more bytes than a chunk.
bool has_size(std::uint64_t numbers, std::uint64_t width, std::uint64_t chunk_bytes)
{
    return width > 0 && numbers <= chunk_bytes / width;
}

/// Numbers without the bits that their type does not use; parameters as in H5Znbit.c.
Sound undo_nbit(Chunk& chunk, const std::vector<unsigned>& parameters, std::uint64_t chunk_bytes)
{
    constexpr unsigned atomic = 1, without_effect = 4;
    if (parameters.size() < 5) return false;
    if (parameters[1] != 0) return true;  // every bit is used: the chunk is as it was
    const std::uint64_t numbers = parameters[2], width = parameters[4];
    if (!has_size(numbers, width, chunk_bytes)) return false;
    std::uint64_t bits = 8 * width;
    if (parameters[3] == atomic && parameters.size() >= 8) {
        bits = parameters[6];
        if (bits == 0 || bits > 8 * width || parameters[7] > 8 * width - bits) return false;
    } else if (parameters[3] != without_effect) {
        return false;
    }
    if (!holds_bits(chunk.size, numbers, bits)) return false;
    chunk = {numbers * width, {}};
    return true;
}

/// Differences from the smallest number in few bits, behind a header; parameters as in H5Zscaleoffset.c.
Sound undo_scale_offset(Chunk& chunk, const std::vector<unsigned>& parameters, std::uint64_t chunk_bytes)
{
    constexpr std::size_t header_bytes = 21;
    constexpr unsigned integers = 2;  // the way in which integers are packed
    if (parameters.size() < 8) return false;
    const std::uint64_t numbers = parameters[2], width = parameters[4];
    if (!has_size(numbers, width, chunk_bytes)) return false;
    if (parameters[0] == integers && parameters[1] == 8 * width) return true;  // the chunk is as it was
    if (!chunk.content || chunk.size < header_bytes) return false;
    const std::uint64_t bits = little_endian(*chunk.content);
    if (bits > 8 * width || !holds_bits(chunk.size - header_bytes, numbers, bits)) return false;
    chunk = {numbers * width, {}};
    return true;
}

/// All chunks of one dataset.
class Chunks {
public:
    Chunks(hid_t dataset, hid_t creation, const std::string& label)
        : dataset_(dataset), label_(label), filters_(filters_of(creation))
    {
        const Hdf5Handle space = owned(H5Dget_space(dataset), H5Sclose, label, "has no shape"),
                         type = owned(H5Dget_type(dataset), H5Tclose, label, "has no type");
        rank_ = static_cast<std::size_t>(std::max(H5Pget_chunk(creation, H5S_MAX_RANK, sides_.data()), 0));
        checked(H5Sget_simple_extent_dims(space.id(), extent_.data(), nullptr), label, "has no shape");
        bytes_ = H5Tget_size(type.id());
        for (std::size_t k = 0; k < rank_; ++k)
            if (sides_[k] == 0 || __builtin_mul_overflow(bytes_, sides_[k], &bytes_))
                throw IoError(fmt::format("{} has chunks of impossible sides", label));
        unsigned options = 0;
        checked(H5Pget_chunk_opts(creation, &options), label, "has no readable chunks");
        edges_are_plain_ = options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
    }

    /// The row behind the last chunk.
    std::uint64_t expect_whole(std::uint64_t first_row, std::uint64_t rows) const
    {
        std::array<hsize_t, H5S_MAX_RANK> corner{};
        const hsize_t begin = first_row / sides_[0] * sides_[0];
        corner[0] = begin;
        while (corner[0] < first_row + rows) {
            expect_whole_at(corner);
            std::size_t axis = rank_;  // the last axis runs fastest
            while (axis-- > 0) {
                corner[axis] += sides_[axis];
                if (axis == 0 || corner[axis] < extent_[axis]) break;
                corner[axis] = 0;
            }
        }
        return corner[0];
    }

private:
    void expect_whole_at(const std::array<hsize_t, H5S_MAX_RANK>& corner) const
    {
        unsigned left_out = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t stored = 0;
        checked(H5Dget_chunk_info_by_coord(dataset_, corner.data(), &left_out, &address, &stored), label_,
                "has a chunk that cannot be found");
        if (address == HADDR_UNDEF) return;  // expect_written() says what that means
        const bool plain = filters_.empty() || (edges_are_plain_ && is_partial(corner));
        const std::uint64_t size = plain ? stored : size_of_packed(corner, stored, left_out);
        if (size != bytes_)
            throw IoError(
                fmt::format("{}: its chunk from row {} on unpacks to {} bytes, expected {}; the "
                            "file is damaged",
                            label_, corner[0], size, bytes_));
    }

    bool is_partial(const std::array<hsize_t, H5S_MAX_RANK>& corner) const
    {
        for (std::size_t k = 0; k < rank_; ++k)
            if (corner[k] + sides_[k] > extent_[k]) return true;
        return false;
    }

    /// That of the chunk where a filter of others packed it: the library and that filter unpack it.
    std::uint64_t size_of_packed(const std::array<hsize_t, H5S_MAX_RANK>& corner, hsize_t stored,
                                 unsigned left_out) const
    {
        Chunk chunk{stored, Content(stored)};
        unsigned mask = 0;
        checked(H5Dread_chunk(dataset_, H5P_DEFAULT, corner.data(), &mask, chunk.content->data()), label_,
                "has a chunk that cannot be read");
        for (std::size_t k = filters_.size(); k-- > 0;) {
            if (k < 32 && left_out >> k & 1) continue;
            const std::optional<Sound> sound = undo(k, chunk);
            if (!sound) return bytes_;
            if (!*sound)
                throw IoError(fmt::format(
                    "{}: its chunk from row {} on cannot be unpacked ({} bytes, {} expected); the file "
                    "is damaged",
                    label_, corner[0], stored, bytes_));
        }
        return chunk.size;
    }

    /// Nothing for filters that the library does not bring.
    std::optional<Sound> undo(std::size_t k, Chunk& chunk) const
    {
        const Filter& filter = filters_[k];
        switch (filter.id) {
            case H5Z_FILTER_DEFLATE:
                return inflate_chunk(chunk, 2 * bytes_ + 4096, k > 0 && needs_content(k));
            case H5Z_FILTER_SHUFFLE:
                if (needs_content(k)) undo_shuffle(chunk, filter.parameters);
                return true;
            case H5Z_FILTER_FLETCHER32:
                if (chunk.size < 4) return false;
                chunk.size -= 4;
                if (chunk.content) chunk.content->resize(chunk.size);
                return true;
            case H5Z_FILTER_SZIP:
                return undo_szip(chunk);
            case H5Z_FILTER_NBIT:
                return undo_nbit(chunk, filter.parameters, bytes_);
            case H5Z_FILTER_SCALEOFFSET:
                return undo_scale_offset(chunk, filter.parameters, bytes_);
            default:
                return std::nullopt;
        }
    }

    /// Whether a filter that is undone after filter `k` looks at the bytes.
    bool needs_content(std::size_t k) const
    {
        return std::any_of(filters_.begin(), filters_.begin() + static_cast<std::ptrdiff_t>(k),
                           [](const Filter& f) {
                               return f.id == H5Z_FILTER_DEFLATE || f.id == H5Z_FILTER_SZIP ||
                                      f.id == H5Z_FILTER_SCALEOFFSET;
                           });
    }

    hid_t dataset_;
    const std::string& label_;
    std::vector<Filter> filters_;
    std::array<hsize_t, H5S_MAX_RANK> sides_{}, extent_{};
    std::size_t rank_ = 0;
    std::uint64_t bytes_ = 0;       ///< of a chunk
    bool edges_are_plain_ = false;  ///< chunks across the end of the dataset are not packed
};

void expect_whole_sources(hid_t dataset, hid_t creation, const std::string& label)
{
    std::size_t n_mappings = 0;
    checked(H5Pget_virtual_count(creation, &n_mappings), label, "has no readable sources");
    for (std::size_t k = 0; k < n_mappings; ++k) {
        const std::string name = source_of(creation, k);
        if (name.empty()) continue;  // explained_bytes() refuses other files
        const std::string source = fmt::format("{}: its source {}", label, name);
        const Hdf5Handle set =
            owned(H5Dopen2(dataset, name.c_str(), H5P_DEFAULT), H5Dclose, source, "cannot be opened");
        static_cast<void>(expect_whole_chunks(set.id(), 0, ~std::uint64_t{0}, source));
    }
}

}  // namespace

std::uint64_t expect_whole_chunks(hid_t dataset, std::uint64_t first, std::uint64_t rows,
                                  const std::string& label)
{
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const Hdf5Handle creation =
                         owned(H5Dget_create_plist(dataset), H5Pclose, label, "has no readable storage"),
                     space = owned(H5Dget_space(dataset), H5Sclose, label, "has no shape");
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (layout == H5D_VIRTUAL) expect_whole_sources(dataset, creation.id(), label);
    if (layout != H5D_CHUNKED || H5Sget_simple_extent_npoints(space.id()) < 1) return all;
    std::array<hsize_t, H5S_MAX_RANK> extent{};
    checked(H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr), label, "has no shape");
    if (first >= extent[0]) return all;
    return Chunks(dataset, creation.id(), label)
        .expect_whole(first, std::min<std::uint64_t>(rows, extent[0] - first));
}

}  // namespace aureole::io::hdf5
