// Named columns with physical dimensions: the properties of groups, as a catalogue file stores them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace aureole {

/// Exponents of a quantity in length, mass and velocity; all zero for counts and indices.
struct Dimension {
    int length = 0, mass = 0, velocity = 0;

    bool operator==(const Dimension&) const = default;
};

/// One quantity for every row: values[row * width + k], k < width.
struct Column {
    std::string name;         ///< as in the file, GADGET-4's where it has one
    std::string description;  ///< one sentence
    Dimension dimension;
    std::size_t width = 1;
    std::variant<std::vector<double>, std::vector<std::int64_t>> values;
};

struct Table {
    std::size_t rows = 0;
    std::vector<Column> columns;

    const Column* find(const std::string& name) const
    {
        for (const Column& column : columns)
            if (column.name == name) return &column;
        return nullptr;
    }
};

}  // namespace aureole
