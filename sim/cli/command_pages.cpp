#include "sim/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// Its names as they are typed, the short ones first.
std::vector<std::string> names_of(const CLI::Option& option)
{
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// What stands for the value: "outermost|innermost", "FILE", "FLOAT".
std::string value_of(const CLI::Option& option) { return option.get_type_name(); }

/// The words that the option takes, where its value names them.
std::vector<std::string> words_of(const CLI::Option& option)
{
    const std::string value = value_of(option);
    std::vector<std::string> words;
    if (value.find('|') == std::string::npos) return words;
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find('|', begin), value.size());
        words.push_back(value.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ")
{
    return io::list_text(words, separator);
}

std::vector<std::string> command_names(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> option_names(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(app))
        for (std::string& name : names_of(*option)) names.push_back(std::move(name));
    return names;
}

/// The beginning of a description, as far as one line of a menu goes.
std::string brief(const std::string& description)
{
    constexpr std::size_t most = 70;
    std::string text = description.substr(0, std::min(description.find_first_of(";("), description.size()));
    if (text.size() > most) text = text.substr(0, text.rfind(' ', most)) + " ...";
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::string shell_quoted(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::string bash_completion(const CLI::App& app)
{
    std::string cases,
        words = fmt::format("        '') words={} ;;\n",
                            shell_quoted(joined(command_names(app)) + " " + joined(option_names(app))));
    for (const CLI::App* command : commands_of(app)) {
        for (const CLI::Option* option : positionals_of(*command))
            if (const auto values = words_of(*option); !values.empty())
                cases += fmt::format("        '{0} {0}') words={1} ;;\n", command->get_name(),
                                     shell_quoted(joined(values)));
        for (const CLI::Option* option : options_of(*command))
            if (const auto values = words_of(*option); !values.empty())
                for (const std::string& name : names_of(*option))
                    cases += fmt::format("        {}) words={} ;;\n",
                                         shell_quoted(command->get_name() + " " + name),
                                         shell_quoted(joined(values)));
        words += fmt::format("        {}) words={} ;;\n", command->get_name(),
                             shell_quoted(joined(option_names(*command))));
    }
    return fmt::format(R"(# Completion of aureole in bash, written by `aureole completion bash`.
_aureole() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' words='' k
    for ((k = 1; k < COMP_CWORD; ++k)); do
        case ${{COMP_WORDS[k]}} in
        {}) command=${{COMP_WORDS[k]}}; break ;;
        esac
    done
    case "$command $before" in
{}        *)
        [[ -z $command || $word == -* ]] || return
        case $command in
{}        esac ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o bashdefault -o default -F _aureole aureole
)",
                       joined(command_names(app), "|"), cases, words);
}

/// An entry of zsh's _arguments, all but its names.
std::string zsh_explained(const CLI::Option& option)
{
    std::string text = brief(option.get_description());
    std::string escaped;
    for (const char c : text)
        if (c == '[' || c == ']' || c == ':')
            escaped += {'\\', c};
        else
            escaped += c;
    std::string entry = "[" + escaped + "]";
    if (!takes_value(option)) return entry;
    const auto words = words_of(option);
    return entry + ":value:" + (words.empty() ? "_files" : "(" + joined(words) + ")");
}

std::string zsh_completion(const CLI::App& app)
{
    std::string list, cases;
    for (const CLI::App* command : commands_of(app)) {
        list += fmt::format("        {}\n",
                            shell_quoted(command->get_name() + ":" + brief(command->get_description())));
        cases += fmt::format("    {}) _arguments -S", command->get_name());
        for (const CLI::Option* option : options_of(*command))
            for (const std::string& name : names_of(*option))
                cases += " \\\n        " + shell_quoted((option->get_items_expected_max() > 1 ? "*" : "") +
                                                        name + zsh_explained(*option));
        std::string words;
        for (const CLI::Option* option : positionals_of(*command)) words += joined(words_of(*option));
        cases += " \\\n        '*:value:" + (words.empty() ? "_files" : "(" + words + ")") + "' ;;\n";
    }
    return fmt::format(R"(#compdef aureole
# Completion of aureole in zsh, written by `aureole completion zsh`.
local -a commands
if (( CURRENT == 2 )); then
    commands=(
{})
    _describe command commands
    return
fi
local command=$words[2]
shift words
(( CURRENT-- ))
case $command in
{}esac
)",
                       list, cases);
}

std::string fish_completion(const CLI::App& app)
{
    std::string text = "# Completion of aureole in fish, written by `aureole completion fish`.\n";
    for (const CLI::App* command : commands_of(app)) {
        text += fmt::format("complete -c aureole -n __fish_use_subcommand -f -a {} -d {}\n",
                            command->get_name(), shell_quoted(brief(command->get_description())));
        for (const CLI::Option* option : positionals_of(*command))
            if (const auto words = words_of(*option); !words.empty())
                text += fmt::format("complete -c aureole -n '__fish_seen_subcommand_from {}' -f -a {}\n",
                                    command->get_name(), shell_quoted(joined(words)));
        for (const CLI::Option* option : options_of(*command)) {
            text +=
                fmt::format("complete -c aureole -n '__fish_seen_subcommand_from {}'", command->get_name());
            for (const std::string& name : option->get_snames()) text += " -s " + name;
            for (const std::string& name : option->get_lnames()) text += " -l " + name;
            if (const auto words = words_of(*option); !words.empty())
                text += fmt::format(" -x -a {}", shell_quoted(joined(words)));
            else if (takes_value(*option))
                text += " -r";
            text += fmt::format(" -d {}\n", shell_quoted(brief(option->get_description())));
        }
    }
    return text;
}

/// Text in which nothing is taken for a macro.
std::string roff(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
            result += {'\\', '&', c};
        else
            result += c;
    }
    return result;
}

std::string roff_option(const CLI::Option& option, const std::vector<std::string>& names)
{
    std::string title;
    for (const std::string& name : names) title += (title.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    if (takes_value(option) && !option.get_positional()) title += " \\fI" + roff(value_of(option)) + "\\fR";
    return ".TP\n" + title + "\n" + roff(option.get_description()) + "\n";
}

std::string roff_command(const CLI::App& command)
{
    std::string text = ".SS aureole " + roff(command.get_name());
    for (const CLI::Option* option : positionals_of(command))
        text += " " + (option->get_required() ? option->get_name(true) : "[" + option->get_name(true) + "]");
    text += " [OPTIONS]\n" + roff(command.get_description()) + ".\n";
    for (const CLI::Option* option : positionals_of(command))
        text += roff_option(*option, {option->get_name(true)});
    for (const CLI::Option* option : options_of(command)) text += roff_option(*option, names_of(*option));
    if (command.get_footer().empty()) return text;
    return text + ".PP\n.nf\n" + roff(command.get_footer()) + "\n.fi\n";
}

/// A sentence that names the one of `names` that is nearest to `word`; empty where that takes more than two
/// edits, or more than half of the word.
std::string did_you_mean(const std::vector<std::string>& names, std::string_view word)
{
    const std::string& name = io::nearest(names, word);
    const std::size_t most = std::min<std::size_t>(2, word.size() / 2);
    return io::edit_distance(name, word) > most ? "" : fmt::format("did you mean {}?", name);
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell)
{
    if (shell == "bash") return bash_completion(app);
    if (shell == "zsh") return zsh_completion(app);
    AUREOLE_EXPECT(shell == "fish", "completion: found the shell '{}', expected bash, zsh or fish", shell);
    return fish_completion(app);
}

std::string manual_page(const CLI::App& app, std::string_view version)
{
    std::string text = fmt::format(
        ".TH AUREOLE 1 \"\" \"{}\" \"User Commands\"\n"
        ".SH NAME\naureole \\- {}\n.SH SYNOPSIS\n.B aureole\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH "
        "COMMANDS\n",
        version, roff("N-body simulator with a built-in halo finder"));
    for (const CLI::App* command : commands_of(app)) text += roff_command(*command);
    text +=
        ".SH EXIT STATUS\n0 when all was done, 1 when it could not be, with the reason on standard error, 2 "
        "for a "
        "command line\nthat cannot be understood.\n"
        ".SH ENVIRONMENT\n.TP\n.B OMP_NUM_THREADS\nthreads of the CPU backend; results do not depend on it\n"
        ".TP\n.B CUDA_VISIBLE_DEVICES\nthe GPUs that are seen\n";
    return text;
}

std::string suggestion(const CLI::App& app, int argc, const char* const* argv)
{
    const std::vector<std::string> commands = command_names(app);
    const CLI::App* here = &app;
    for (int k = 1; k < argc; ++k) {
        const std::string_view word(argv[k],
                                    std::string_view(argv[k]).find_first_of('=') == std::string_view::npos
                                        ? std::string_view(argv[k]).size()
                                        : std::string_view(argv[k]).find_first_of('='));
        if (here == &app && !word.starts_with('-')) {
            if (std::ranges::find(commands, word) == commands.end()) return did_you_mean(commands, word);
            here = app.get_subcommand(std::string(word));
        } else if (word.starts_with("--")) {
            const std::vector<std::string> names = option_names(*here);
            if (std::ranges::find(names, word) == names.end()) return did_you_mean(names, word);
        }
    }
    return {};
}

}  // namespace aureole::cli
