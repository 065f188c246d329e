// `aureole trees`: merger trees of the catalogues in a directory.
#include <fmt/format.h>

#include <algorithm>

#include "sim/analysis/merger_trees/merger_trees.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

bool is_of_trees(const fs::path& file)
{
    const std::string name = file.filename().string();
    return io::progenitor_names.number_in(name) || io::descendant_names.number_in(name) ||
           io::catalogue_names.number_in(name);
}

/// Catalogues and links in the directory.
std::vector<fs::path> inputs_in(const fs::path& directory)
{
    std::error_code failed;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (is_of_trees(entry->path())) files.push_back(entry->path());
    if (failed) throw IoError(fmt::format("{}: cannot be read: {}", directory.string(), failed.message()));
    return files;
}

}  // namespace

int trees_command(const TreesCommand& command)
{
    const std::vector<fs::path> inputs = inputs_in(command.directory);
    const fs::path output = command.output.empty() ? command.directory / io::tree_file_name : command.output;
    expect_safe_outputs({{"-o", output}}, inputs);
    io::Provenance provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", command.directory.string());
    const bool linked = std::ranges::any_of(inputs, [](const fs::path& file) {
        return io::progenitor_names.number_in(file.filename().string()).has_value();
    });
    if (command.link || !linked)
        fmt::print("{} catalogues linked by the particles of their snapshots\n",
                   run::link_catalogues(command.directory, provenance));
    const run::TreeCounts made = run::write_trees(command.directory, output, provenance);
    fmt::print("{} halos of {} catalogues, {} tracks in {} trees: {}\n", made.halos, made.catalogues,
               made.tracks, made.trees, output.string());
    return 0;
}

}  // namespace aureole::cli
