// Collects the columns of a table from a function of the row; columns are filled together at the end, each by
// one thread.
#pragma once

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
        fill_.push_back([of = std::move(of), rows = table_.rows](Column& column) {
            auto& values = std::get<Values>(column.values);
            values.reserve(rows * width);
            for (std::size_t row = 0; row < rows; ++row) {
                const Array part = of(row);
                values.insert(values.end(), part.begin(), part.end());
            }
        });
    }

    Table take()
    {
#pragma omp parallel for schedule(dynamic) if (table_.rows > parallel_threshold)
        for (std::size_t k = 0; k < fill_.size(); ++k) fill_[k](table_.columns[k]);
        return std::move(table_);
    }

private:
    std::string prefix_;
    Table table_;
    std::vector<std::function<void(Column&)>> fill_;  ///< per column
};

}  // namespace aureole::halo
