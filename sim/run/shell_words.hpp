// Command lines as they can be typed again.
#pragma once

#include <string>
#include <string_view>

namespace aureole::run {

/// `word` as a shell takes it for one: as it is where no shell reads more into it, else in single quotes;
/// with control characters, or bytes that are no UTF-8, as $'...' (bash, zsh, ksh), which is ASCII and loses
/// no byte.
std::string shell_word(std::string_view word);

}  // namespace aureole::run
