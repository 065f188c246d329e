#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/config/config.hpp"
#include "sim/config/config_table.hpp"
#include "sim/io/json_writer.hpp"

namespace aureole::cli {

int config_command(const ConfigCommand& command)
{
    if (!command.json) {
        fmt::print("{}", run::config_documentation());
        return 0;
    }
    std::string rows;
    for (const run::KeyEntry& entry : run::config_entries())
        rows += fmt::format("{}\n  {}", rows.empty() ? "" : ",",
                            io::JsonObject()
                                .add("key", entry.path)
                                .add("default", entry.default_text)
                                .add("unit", entry.unit)
                                .add("meaning", entry.meaning)
                                .text());
    fmt::print("[{}\n]\n", rows);
    return 0;
}

}  // namespace aureole::cli
