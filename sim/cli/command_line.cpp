// Reads the command line with CLI11 and calls the command. CLI11 takes long to compile, so that it is
// included here and in the files *_options.cpp only.
#include "sim/cli/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <span>

#include "sim/cli/options.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::cli {
namespace {

/// The command line as it can be typed again.
std::string joined(int argc, char** argv)
{
    std::string text = "aureole";
    for (int k = 1; k < argc; ++k) text += " " + run::shell_word(argv[k]);
    return text;
}

bool is_type(std::string_view word) { return word.size() == 1 && word[0] >= '0' && word[0] <= '9'; }

/// Whether `word` is one of those that `option` takes in a list.
bool continues_list(std::string_view option, std::string_view word)
{
    const auto among = [&](std::span<const std::string_view> words) {
        return std::ranges::find(words, word) != words.end();
    };
    return (option == "--fields" && (among(field_words) || among(snapshot_field_words))) ||
           (option == "--symmetry" && among(symmetry_words)) || (option == "--types" && is_type(word));
}

/// The arguments with lists joined: `--fields mass velocity` as `--fields mass,velocity`. CLI11 would take
/// the name of a file behind the list for another of its words.
std::vector<std::string> with_joined_lists(int argc, char** argv)
{
    std::vector<std::string> joined;
    std::string_view option;
    bool has_value = false;  // the option, already
    for (int k = 0; k < argc; ++k) {
        const std::string_view word = argv[k];
        if (has_value && continues_list(option, word)) {
            joined.back() += "," + std::string(word);
            continue;
        }
        joined.emplace_back(word);
        if (word.starts_with("--"))
            option = word;
        else if (has_value)
            option = {};
        has_value = !option.empty() && !word.starts_with("--");
    }
    return joined;
}

/// The commands that speak of the program itself.
void add_pages(CLI::App& app, std::string& shell, std::function<int()>& call)
{
    CLI::App* completion =
        app.add_subcommand("completion", "print the script that completes commands and options in a shell");
    completion->footer(
        "Example: aureole completion bash > ~/.local/share/bash-completion/completions/aureole\n"
        "Example: aureole completion zsh > ~/.zfunc/_aureole\n"
        "Example: aureole completion fish > ~/.config/fish/completions/aureole.fish");
    completion->add_option("SHELL", shell, "bash, zsh or fish")->type_name("bash|zsh|fish")->required();
    completion->callback([&] {
        call = [&] {
            fmt::print("{}", completion_script(app, shell));
            return 0;
        };
    });
    CLI::App* manual = app.add_subcommand("manual", "print the manual page of all commands, for man");
    manual->footer("Example: aureole manual | man -l -");
    manual->callback([&] {
        call = [&] {
            fmt::print("{}", manual_page(app, version_brief()));
            return 0;
        };
    });
}

}  // namespace

int run_command_line(int argc, char** argv)
{
    CLI::App app{"Aureole: an N-body simulator with a built-in halo finder", "aureole"};
    app.set_version_flag("--version", version_text);
    app.footer(
        "Example: aureole run scripts/experiments/galaxy_merger/run.yaml -o merger\n"
        "`aureole COMMAND --help` explains one command.");
    app.require_subcommand(0, 1);
    Parsed parsed;
    const std::string command_line = joined(argc, argv);
    for (ComputeOptions* compute : {&parsed.run.compute, &parsed.ics.compute, &parsed.find.compute,
                                    &parsed.forces.compute, &parsed.expand.compute, &parsed.evaluate.compute})
        compute->command_line = command_line;
    parsed.density.command_line = parsed.render.command_line = parsed.profile.command_line =
        parsed.plot.command_line = parsed.convert.command_line = parsed.power.command_line =
            parsed.mass_function.command_line = parsed.trees.command_line = parsed.analyse.command_line =
                command_line;
    for (const auto add :
         {add_run,      add_watch,   add_ics,     add_convert, add_find,   add_forces,        add_expand,
          add_evaluate, add_density, add_profile, add_analyse, add_power,  add_mass_function, add_trees,
          add_info,     add_diff,    add_plot,    add_render,  add_config, add_cite})
        add(app, parsed);
    std::string shell;
    add_pages(app, shell, parsed.call);
    try {
        const std::vector<std::string> arguments = with_joined_lists(argc, argv);
        std::vector<const char*> pointers;
        for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
        app.parse(argc > 0 ? static_cast<int>(pointers.size()) : 0, pointers.data());
    } catch (const CLI::ParseError& error) {
        if (app.exit(error) == 0) return 0;
        if (const std::string near = suggestion(app, argc, argv); !near.empty())
            fmt::print(stderr, "{}\n", near);
        return 2;
    }
    if (parsed.call) return parsed.call();
    fmt::print("{}", app.help());
    return 0;
}

}  // namespace aureole::cli
