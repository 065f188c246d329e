// `aureole watch`: a page in the browser for the directory of a run.
#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/io/utf8.hpp"
#include "sim/live/frames.hpp"
#include "sim/live/page_server.hpp"

namespace aureole::cli {

int watch_command(const WatchCommand& command)
{
    live::expect_run(command.run);
    live::RunView view(command.run);
    live::PageServer server(command.listen, version_brief());
    print_text(server.announcement() +
               fmt::format("watching {}; Ctrl-C ends it\n", io::printable(command.run.string())));
    const StopSignal signals(false);
    live::SnapshotFrames frames(view, [&] { server.wake(); });
    server.serve(view, {.frames = &frames}, [&] { return signals.requested(); });
    return 0;
}

}  // namespace aureole::cli
