// Where the page of a run is served: what the command line sets.
#pragma once

#include <optional>
#include <string>

namespace aureole::live {

struct ListenConfig {
    std::string address = "127.0.0.1";  ///< of this machine alone; IPv4
    std::optional<unsigned> port;       ///< 0: any free one; nothing: 8765, or the next free one of twenty
};

}  // namespace aureole::live
