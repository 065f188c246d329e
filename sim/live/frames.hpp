// Pictures that are drawn because a page asks for them: by a run that is under way, and of snapshots.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "sim/live/http_message.hpp"
#include "sim/live/run_view.hpp"
#include "sim/pictures/picture.hpp"
#include "sim/run/run_callbacks.hpp"

namespace aureole::live {

/// What a page asks for: the axis of sight and the colours of the query; nothing for others than there are.
std::optional<run::FrameRequest> frame_request_of(const Request& request);

/// Gives the pictures of one page. Called by the server's thread, which does not wait: nothing where the
/// picture is still to be drawn, and the request comes again.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    virtual std::optional<Response> frame(const Request& request) = 0;
};

/// Between a run, which draws after its steps what is asked for, and a page. Drawing takes at most a tenth of
/// the run's time, and nothing while no page asks. The run's thread makes requested() and drawn() its
/// callbacks.
class LiveFrames : public FrameSource {
public:
    /// `ready` is called by the run's thread when a picture is drawn.
    explicit LiveFrames(std::function<void()> ready) : ready_(std::move(ready)) {}

    /// The query `after` is the number of the last picture that the page has (X-Sequence), so that it gets a
    /// newer one.
    std::optional<Response> frame(const Request& request) override;

    bool requested(run::FrameRequest& request);
    void drawn(DrawnPicture&& drawn);

private:
    struct View {
        run::FrameRequest what;
        bool wanted = false;
        std::uint64_t sequence = 0;         ///< of the newest picture; 0: none yet
        std::optional<DrawnPicture> raw{};  ///< not encoded yet
    };
    struct Encoded {
        std::string png, time;
        std::uint64_t sequence = 0;
    };
    View& view_of(const run::FrameRequest& what);

    std::function<void()> ready_;
    std::map<std::string, Encoded> encoded_;  ///< by line of sight and colours; of the server's thread alone
    std::atomic<bool> any_wanted_ = false;
    std::mutex mutex_;
    std::list<View> views_;  ///< one for each line of sight and colouring
    View* drawing_ = nullptr;
    std::uint64_t sequence_ = 0;
    double began_ = 0, next_ = 0;  ///< seconds: the present picture, and when the next one may begin
};

/// Draws snapshots of a directory in a thread of its own, which alone uses the HDF5 library, and keeps the
/// last pictures. The first snapshot that is drawn along an axis decides frame and colours of the others.
class SnapshotFrames : public FrameSource {
public:
    SnapshotFrames(const RunView& view, std::function<void()> ready);
    ~SnapshotFrames() override;

    std::optional<Response> frame(const Request& request) override;

private:
    struct Job {
        unsigned number = 0;
        run::FrameRequest what{};
        std::string version{};  ///< of the run: pictures of an earlier one are not shown
        bool operator==(const Job&) const = default;
    };
    void work();
    Response draw(const Job& job);

    const RunView& view_;
    std::function<void()> ready_;
    std::mutex mutex_;
    std::condition_variable wakes_;
    std::list<Job> queue_;                       ///< newest first
    std::list<std::pair<Job, Response>> drawn_;  ///< newest first
    bool ends_ = false;
    PicturePainter painter_;
    std::map<std::string, PictureOptions> frames_;  ///< by line of sight, colours and version
    std::thread worker_;
};

}  // namespace aureole::live
