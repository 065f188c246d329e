#include "tests/fuzz/targets.hpp"

#include <fmt/format.h>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/core/particles.hpp"
#include "tests/fuzz/scratch.hpp"

namespace aureole::fuzz {
namespace {

/// Messages may quote their input, but not all of it.
constexpr std::size_t longest_message = 4096;

void judge_message(const std::string& message, bool names_file)
{
    if (message.size() > longest_message)
        throw Fault(fmt::format("a message of {} characters: {}", message.size(), message.substr(0, 200)));
    if (names_file && message.find(input_name) == std::string::npos)
        throw Fault(fmt::format("the message names no file: {}", message));
}

}  // namespace

const std::vector<Target>& targets()
{
    static const std::vector<Target> all{
        gadget_binary_target(), tipsy_target(),       text_table_target(),         snapshot_hdf5_target(),
        tables_hdf5_target(),   points_target(),      coefficients_text_target(),  coefficients_hdf5_target(),
        groups_target(),        csv_target(),         density_table_target(),      config_target(),
        checkpoint_target(),    fields_hdf5_target(), catalogue_commands_target(),
    };
    return all;
}

bool refuses(const Target& target, const std::string& input)
{
    const std::size_t before = memory::held_bytes(Backend::cpu);
    memory::reset_peak(Backend::cpu);
    bool refused = false;
    try {
        target.read(input);
    } catch (const IoError& error) {
        refused = true;
        judge_message(error.what(), true);
    } catch (const ConfigError& error) {
        refused = true;
        judge_message(error.what(), false);  // some name component and key instead
    }
    // the shortest particle of any format takes 16 bytes; programs of edits start from files of some kB
    const std::size_t allowed =
        (input.size() / 16 + 4096) * Particles::bytes_per_particle() + target.own_bytes;
    if (const std::size_t peak = memory::peak_bytes(Backend::cpu) - before; peak > allowed)
        throw Fault(fmt::format("{} bytes of particles for an input of {}", peak, input.size()));
    return refused;
}

}  // namespace aureole::fuzz
