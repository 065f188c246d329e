// Datasets that are converted in blocks of rows, on their way into a file or out of it, so that no second
// copy of an array is held; and columns of particle ids, which codes store with a sign or without, in 32 bits
// or 64.
#pragma once

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::io {

inline constexpr std::size_t hdf5_block_rows = 1 << 16;  ///< rows converted at a time

enum class Threads { one, all };

/// Calls write(row, values of some rows) for blocks of rows; fill(row, to) stores the values of one row: with
/// Threads::all, on any thread without throwing.
template <class T, class Fill, class Write>
void for_each_block(std::size_t rows, std::size_t width, Fill fill, Threads threads, Write write)
{
    const std::size_t per_row = std::max<std::size_t>(width, 1);
    std::vector<T> block(std::min(hdf5_block_rows, rows) * per_row);
    for (std::size_t first = 0; first < rows; first += hdf5_block_rows) {
        const std::size_t n = std::min(hdf5_block_rows, rows - first);
#pragma omp parallel for if (threads == Threads::all && n > 4096)
        for (std::size_t k = 0; k < n; ++k) fill(first + k, block.data() + k * per_row);
        write(first, std::span<const T>(block.data(), n * per_row));
    }
}

/// Creates the dataset `path` of T with the shape [rows] when `width` is 0, else [rows, width]; fill as
/// above. Throws IoError naming file and dataset.
template <Hdf5Number T, class Fill>
void write_field(Hdf5File& file, const std::string& path, std::size_t rows, std::size_t width, Fill fill,
                 Threads threads = Threads::one)
{
    Hdf5Dataset dataset = file.create_dataset(path, number_type<T>(), rows, width);
    for_each_block<T>(rows, width, fill, threads, [&](std::size_t first, std::span<const T> values) {
        dataset.write_rows(first, values);
    });
}

/// Calls use(row, pointer to its values) for the rows [begin, end) of `dataset`, converted to T. Throws
/// IoError naming file and dataset.
template <Hdf5Number T, class Use>
void for_each_row(const Hdf5Dataset& dataset, std::uint64_t begin, std::uint64_t end, Use use)
{
    const std::size_t per_row = dataset.width();
    std::vector<T> block(std::min<std::uint64_t>(hdf5_block_rows, end - begin) * per_row);
    for (std::uint64_t first = begin; first < end; first += hdf5_block_rows) {
        const std::size_t n = std::min<std::uint64_t>(hdf5_block_rows, end - first);
        dataset.read_rows(first, std::span(block.data(), n * per_row));
        for (std::size_t k = 0; k < n; ++k) use(first + k, block.data() + k * per_row);
    }
}

/// The same of every row.
template <Hdf5Number T, class Use>
void for_each_row(const Hdf5Dataset& dataset, Use use)
{
    for_each_row<T>(dataset, 0, dataset.rows(), use);
}

/// Reads rows of a column of ids, from `first` on, as unsigned numbers. Of ids that are stored with a sign
/// the bits count: a negative one of 32 bits is beyond 2^31, where HDF5's own conversion would give 0 (and
/// 2^63 - 1 beyond 2^63). Throws IoError for fractions and when the dataset is no column.
inline void read_id_rows(const Hdf5Dataset& dataset, std::uint64_t first, std::span<std::uint64_t> ids)
{
    if (dataset.width() != 1)
        throw IoError(fmt::format("{} is [{}, {}], expected {} ids", dataset.label(), dataset.rows(),
                                  dataset.width(), dataset.rows()));
    const NumberLayout layout = dataset.layout();
    if (!layout.has_sign) {
        dataset.read_rows(first, ids);
        return;
    }
    const std::uint64_t mask = layout.bytes <= 4 ? 0xffffffffu : ~std::uint64_t{0};
    for_each_row<std::int64_t>(dataset, first, first + ids.size(),
                               [&](std::size_t row, const std::int64_t* id) {
                                   ids[row - first] = static_cast<std::uint64_t>(*id) & mask;
                               });
}

/// All rows of such a column. Throws IoError when it has another number of rows than `ids`, too.
inline void read_ids(const Hdf5Dataset& dataset, std::span<std::uint64_t> ids)
{
    if (dataset.rows() != ids.size() || dataset.width() != 1)
        throw IoError(fmt::format("{} is [{}, {}], expected {} ids", dataset.label(), dataset.rows(),
                                  dataset.width(), ids.size()));
    read_id_rows(dataset, 0, ids);
}

}  // namespace aureole::io
