// What every file says of where it comes from, put together in one place.
#pragma once

#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::run {

/// The program that writes files, and what it was asked to do.
struct Maker {
    std::string version, revision, compilers, command_line;
};

/// Version, GitRevision, Compilers, CommandLine, Begun (UTC, when this is called), Host, System, Processor,
/// Device, Driver (of the GPU; "none" on the CPU). Whoever writes adds Configuration, Seed, Input and so on.
io::Provenance provenance_of(const Maker& maker, const DeviceChoice& device);

}  // namespace aureole::run
