#include "sim/cli/commands.hpp"
namespace aureole::cli {
int profile_command(const ProfileCommand&) { return 0; }
}  // namespace aureole::cli
