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

/// Creates the dataset `path` of T with the shape [rows] when `width` is 0, else [rows, width]; fill(row, to)
/// stores the values of one row: with Threads::all, on any thread without throwing. Throws IoError naming
/// file and dataset.
template <Hdf5Number T, class Fill>
void write_field(Hdf5File& file, const std::string& path, std::size_t rows, std::size_t width, Fill fill,
                 Threads threads = Threads::one)
{
    Hdf5Dataset dataset = file.create_dataset(path, number_type<T>(), rows, width);
    const std::size_t per_row = std::max<std::size_t>(width, 1);
    std::vector<T> block(std::min(hdf5_block_rows, rows) * per_row);
    for (std::size_t first = 0; first < rows; first += hdf5_block_rows) {
        const std::size_t n = std::min(hdf5_block_rows, rows - first);
#pragma omp parallel for if (threads == Threads::all && n > 4096)
        for (std::size_t k = 0; k < n; ++k) fill(first + k, block.data() + k * per_row);
        dataset.write_rows(first, std::span<const T>(block.data(), n * per_row));
    }
}

/// Calls use(row, pointer to its values) for every row of `dataset`, converted to T. Throws IoError naming
/// file and dataset.
template <Hdf5Number T, class Use>
void for_each_row(const Hdf5Dataset& dataset, Use use)
{
    const std::size_t rows = dataset.rows(), per_row = dataset.width();
    std::vector<T> block(std::min(hdf5_block_rows, rows) * per_row);
    for (std::size_t first = 0; first < rows; first += hdf5_block_rows) {
        const std::size_t n = std::min(hdf5_block_rows, rows - first);
        dataset.read_rows(first, std::span(block.data(), n * per_row));
        for (std::size_t k = 0; k < n; ++k) use(first + k, block.data() + k * per_row);
    }
}

/// Reads all rows of a column of ids as unsigned numbers. Of ids that are stored with a sign the bits count:
/// a negative one of 32 bits is beyond 2^31, where HDF5's own conversion would give 0 (and 2^63 - 1 beyond
/// 2^63). Throws IoError for fractions and when the column has another number of rows than `ids`.
inline void read_ids(const Hdf5Dataset& dataset, std::span<std::uint64_t> ids)
{
    if (dataset.rows() != ids.size() || dataset.width() != 1)
        throw IoError(fmt::format("{} is [{}, {}], expected {} ids", dataset.label(), dataset.rows(),
                                  dataset.width(), ids.size()));
    const NumberLayout layout = dataset.layout();
    if (!layout.has_sign) {
        dataset.read_rows(0, ids);
        return;
    }
    const std::uint64_t mask = layout.bytes <= 4 ? 0xffffffffu : ~std::uint64_t{0};
    for_each_row<std::int64_t>(dataset, [&](std::size_t row, const std::int64_t* id) {
        ids[row] = static_cast<std::uint64_t>(*id) & mask;
    });
}

}  // namespace aureole::io
