#include "sim/live/run_page.hpp"

#include <omp.h>
#include <pthread.h>
#include <signal.h>

namespace aureole::live {
namespace {

/// While an object lives, threads that begin take no signal: those of the program are the run's.
class SignalsHeldBack {
public:
    SignalsHeldBack()
    {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeldBack(const SignalsHeldBack&) = delete;
    SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

RunPage::RunPage(const ListenConfig& config, const std::string& program)
    : server_(config, program), frames_([this] { server_.wake(); })
{
}

RunPage::~RunPage()
{
    ends_ = true;
    server_.wake();
    if (thread_.joinable()) thread_.join();
}

void RunPage::start(const std::filesystem::path& directory)
{
    const SignalsHeldBack held;
    thread_ = std::thread([this, directory] {
        omp_set_num_threads(1);  // the others are the run's
        RunView view(directory);
        PageServices services{.frames = &frames_, .live = true};
        services.control = [this](const std::string& what) {
            (what == "stop" ? stop_requested_ : dump_requested_) = true;
        };
        server_.serve(view, services, [this] { return ends_.load(); });
    });
}

void RunPage::attach(run::RunCallbacks& callbacks)
{
    callbacks.started = [this, before = callbacks.started](const std::filesystem::path& directory) {
        if (before) before(directory);
        start(directory);
    };
    callbacks.stop_reason = [this, before = callbacks.stop_reason] {
        std::string reason = before ? before() : "";
        return reason.empty() && stop_requested_ ? "its page in the browser" : reason;
    };
    callbacks.dump_requested = [this, before = callbacks.dump_requested] {
        const bool mine = dump_requested_.exchange(false), others = before && before();
        return mine || others;
    };
    callbacks.frame_requested = [this](run::FrameRequest& request) { return frames_.requested(request); };
    callbacks.frame_drawn = [this](DrawnPicture&& drawn) { frames_.drawn(std::move(drawn)); };
}

}  // namespace aureole::live
