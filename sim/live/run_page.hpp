// The page of a run that is under way, served by the run's own process.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "sim/live/frames.hpp"
#include "sim/live/page_server.hpp"

namespace aureole::live {

/// Serves in a thread of its own from the callback `started` until the object is destroyed. The run waits for
/// it nowhere: after a step it looks at one flag, and draws a picture where a page asks for one. What the
/// page cannot do, it tells the page; no run ends because of it.
class RunPage {
public:
    /// Listens from now on; throws what HttpServer throws.
    RunPage(const ListenConfig& config, const std::string& program);
    ~RunPage();

    /// Adds the page's own work to the callbacks of a run, which must not outlive the object.
    void attach(run::RunCallbacks& callbacks);

    const PageServer& server() const { return server_; }

private:
    void start(const std::filesystem::path& directory);

    PageServer server_;
    LiveFrames frames_;
    std::atomic<bool> stop_requested_ = false, dump_requested_ = false, ends_ = false;
    std::thread thread_;
};

}  // namespace aureole::live
