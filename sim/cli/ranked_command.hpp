// Commands that several ranks work on: the first is the command, with its output and files, and the others
// serve it in silence.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/run/ranks/run_ranks.hpp"

namespace aureole::cli {

struct RankedWork {
    std::function<void(run::RunRanks&)> first;     ///< what rank 0 does
    std::function<void(run::RunRanks&)> others;    ///< what the others do until end()
    std::function<void(comm::Communicator&)> end;  ///< called by rank 0 however first() has ended
};

/// Settles the ranks (run::settle_ranks) and lets them work; returns the exit status, or throws on rank 0
/// what went wrong. Ranks whose command lines differ behind ` name` are refused.
int work_on_ranks(std::unique_ptr<comm::Communicator> ranks, const std::string& command_line,
                  const std::string& name, const std::string& device, const RankedWork& work);

}  // namespace aureole::cli
