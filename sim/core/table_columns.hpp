// How columns are added to a table. Apart from table.hpp, which most of the program includes.
#pragma once

#include <limits>
#include <utility>

#include "sim/core/table.hpp"

namespace aureole {

/// A further column of numbers, NaN to begin with, or of zeros for counts. References to the values of
/// earlier ones stay where `columns` has reserved.
template <class T = double>
std::vector<T>& add_column(Table& table, std::string name, std::string description, Dimension dimension = {})
{
    const T start = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T{0};
    table.columns.push_back(
        {std::move(name), std::move(description), dimension, 1, std::vector<T>(table.rows, start)});
    return std::get<std::vector<T>>(table.columns.back().values);
}

}  // namespace aureole
