// What `aureole find --json` prints.
#pragma once

#include "sim/core/table.hpp"
#include "sim/io/json_writer.hpp"

namespace aureole::cli {

/// The first rows as objects: a number or a list of numbers for each column.
io::JsonList first_rows(const Table& table, std::size_t most);

/// As long as it lives, what is printed to standard output goes to standard error.
class TextToStderr {
public:
    TextToStderr();
    ~TextToStderr();
    TextToStderr(const TextToStderr&) = delete;
    TextToStderr& operator=(const TextToStderr&) = delete;

private:
    int saved_;
};

}  // namespace aureole::cli
