#include "sim/cli/commands/find_json.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace aureole::cli {

io::JsonList first_rows(const Table& table, std::size_t most)
{
    io::JsonList rows;
    for (std::size_t row = 0; row < std::min(most, table.rows); ++row) {
        io::JsonObject object;
        for (const Column& column : table.columns)
            std::visit(
                [&](const auto& values) {
                    io::JsonList list;
                    for (std::size_t k = 0; k < column.width; ++k) list.add(values[row * column.width + k]);
                    if (column.width == 1)
                        object.add(column.name, values[row]);
                    else
                        object.add(column.name, list);
                },
                column.values);
        rows.add(object);
    }
    return rows;
}

TextToStderr::TextToStderr()
{
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    if (saved_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

TextToStderr::~TextToStderr()
{
    std::fflush(stdout);
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
}

}  // namespace aureole::cli
