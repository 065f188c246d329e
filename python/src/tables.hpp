// Tables of halos as lists of columns for Python.
#pragma once

#include <string>

#include "arrays.hpp"
#include "sim/core/table.hpp"

namespace aureole::python {

/// Per column (name, description, (length, mass, velocity), array (rows) or (rows, width)). The values are
/// taken out of `table`.
inline nb::list columns_of(Table&& table)
{
    nb::list columns;
    for (Column& column : table.columns) {
        std::vector<std::size_t> shape{table.rows};
        if (column.width > 1) shape.push_back(column.width);
        nb::object array =
            std::visit([&](auto& values) { return to_numpy(std::move(values), shape); }, column.values);
        const Dimension& d = column.dimension;
        columns.append(nb::make_tuple(nb::str(column.name.c_str()), nb::str(column.description.c_str()),
                                      nb::make_tuple(d.length, d.mass, d.velocity), array));
    }
    return columns;
}

}  // namespace aureole::python
