// Collects the columns of a table from a function of the row. Those that are filled at one time are filled
// together, some rows after others, so that what the functions read is near.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

inline constexpr Dimension is_count{}, is_length{.length = 1}, is_mass{.mass = 1}, is_velocity{.velocity = 1};

class TableBuilder {
public:
    /// Column names start with `prefix`.
    TableBuilder(std::string prefix, std::size_t rows) : prefix_(std::move(prefix)) { table_.rows = rows; }

    /// One number per row. Functions of the row are called by take(), so they hold copies or outlive it; they
    /// throw nothing.
    template <class Of>
    void number(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        array(name, description, dimension,
              [of = std::move(of)](std::size_t row) { return std::array{of(row)}; });
    }

    template <class Of>
    void vector(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        array(name, description, dimension, [of = std::move(of)](std::size_t row) {
            const Vec3 v = of(row);
            return std::array{v.x, v.y, v.z};
        });
    }

    /// std::array of double or int64_t per row.
    template <class Of>
    void array(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        using Array = decltype(of(std::size_t{0}));
        using Values = std::vector<typename Array::value_type>;
        constexpr std::size_t width = std::tuple_size_v<Array>;
        table_.columns.push_back({prefix_ + name, description, dimension, width, Values()});
        fill_.push_back([of = std::move(of)](Column& column, std::size_t begin, std::size_t end) {
            auto& values = std::get<Values>(column.values);
            for (std::size_t row = begin; row < end; ++row) {
                const Array part = of(row);
                std::copy(part.begin(), part.end(), values.begin() + row * width);
            }
        });
    }

    /// Columns that are added from here on read what comes later than that of the others.
    void begin_late_columns() { n_early_ = fill_.size(); }

    /// Gives all columns their memory, which takes as long as filling them, and fills those that are not
    /// late: may be done before what the others read is there.
    void fill_early()
    {
        fill(0, n_early_);
        n_filled_ = n_early_;
    }

    Table take()
    {
        fill(n_filled_, fill_.size());
        return std::move(table_);
    }

private:
    /// Columns [first, end), after all have got their memory.
    void fill(std::size_t first, std::size_t end)
    {
        constexpr std::size_t portion = 256;  // their rows, of some 500 bytes, stay in the nearest memory
        const std::size_t rows = table_.rows, n_portions = rows == 0 ? 0 : (rows - 1) / portion + 1;
#pragma omp parallel if (rows > parallel_threshold)
        {
#pragma omp for schedule(dynamic)
            for (std::size_t k = 0; k < fill_.size(); ++k) reserve(table_.columns[k]);
#pragma omp for schedule(dynamic)
            for (std::size_t p = 0; p < n_portions; ++p)
                for (std::size_t k = first; k < end; ++k)
                    fill_[k](table_.columns[k], p * portion, std::min(rows, (p + 1) * portion));
        }
    }

    void reserve(Column& column)
    {
        std::visit([&](auto& values) { values.resize(table_.rows * column.width); }, column.values);
    }

    std::string prefix_;
    Table table_;
    std::size_t n_early_ = 0, n_filled_ = 0;  ///< columns, the first ones
    /// Per column: fills rows [begin, end).
    std::vector<std::function<void(Column&, std::size_t begin, std::size_t end)>> fill_;
};

}  // namespace aureole::halo
