// Collects the columns of a table from a function of the row.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "sim/core/particles_view.hpp"
#include "sim/core/table.hpp"

namespace aureole::halo {

inline constexpr Dimension is_count{}, is_length{.length = 1}, is_mass{.mass = 1}, is_velocity{.velocity = 1};

class TableBuilder {
public:
    /// Column names start with `prefix`.
    TableBuilder(std::string prefix, std::size_t rows) : prefix_(std::move(prefix)) { table_.rows = rows; }

    /// One number per row.
    template <class Of>
    void number(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        array(name, description, dimension, [&](std::size_t row) { return std::array{of(row)}; });
    }

    template <class Of>
    void vector(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        array(name, description, dimension, [&](std::size_t row) {
            const Vec3 v = of(row);
            return std::array{v.x, v.y, v.z};
        });
    }

    /// std::array of double or int64_t per row.
    template <class Of>
    void array(const std::string& name, const std::string& description, Dimension dimension, Of of)
    {
        using Array = decltype(of(std::size_t{0}));
        std::vector<typename Array::value_type> values;
        values.reserve(table_.rows * std::tuple_size_v<Array>);
        for (std::size_t row = 0; row < table_.rows; ++row) {
            const Array part = of(row);
            values.insert(values.end(), part.begin(), part.end());
        }
        table_.columns.push_back(
            {prefix_ + name, description, dimension, std::tuple_size_v<Array>, std::move(values)});
    }

    Table take() { return std::move(table_); }

private:
    std::string prefix_;
    Table table_;
};

}  // namespace aureole::halo
