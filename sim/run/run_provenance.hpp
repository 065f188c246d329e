// The provenance that is written into every file: which program made it, from what, where and when.
#pragma once

#include <string>
#include <string_view>

#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::run {

/// The program that writes files, and its command line.
struct Maker {
    std::string version, revision, compilers, command_line;
};

/// Version, GitRevision, Compilers, CommandLine, Begun (UTC, when this is called), Host, System, Processor,
/// Device, Driver (of the GPU; "none" on the CPU). The function that writes a file adds Configuration, Seed,
/// Input and so on.
io::Provenance provenance_of(const Maker& maker, const DeviceChoice& device);

/// `word` quoted for a shell, so that a command line can be typed again: unchanged where a shell takes it as
/// one word, else in single quotes. With control characters, or bytes that are no UTF-8, it is written as
/// $'...' (bash, zsh, ksh), which is ASCII and loses no byte.
std::string shell_word(std::string_view word);

}  // namespace aureole::run
