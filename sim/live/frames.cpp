#include "sim/live/frames.hpp"

#include <algorithm>
#include <array>

#include "sim/config/config.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/images/image.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/control/run_directory.hpp"
#include "sim/run/starting_state.hpp"
#include "sim/run/timers.hpp"

namespace aureole::live {
namespace {

constexpr double largest_share = 0.1;  // of a run's time that is drawn
constexpr double shortest_pause = 0.1;
constexpr std::size_t most_jobs = 8, most_kept = 200;

Response png_response(std::string png, const std::string& time)
{
    return {.type = "image/png", .body = std::move(png), .headers = {{"X-Time", io::printable(time)}}};
}

/// Circles of the catalogue that was written with a snapshot, in the snapshot's unit of length.
std::vector<HaloCircle> circles_beside(const std::filesystem::path& file)
{
    if (!std::filesystem::is_regular_file(file)) return {};
    const io::CatalogueFile catalogue = io::read_catalogue(file);
    const auto& scales = catalogue.header.nbody_scales;
    return halo_circles(catalogue.groups, scales ? 1 / scales->length : 1);
}

/// The time of a snapshot in the units of its run, as its pictures show it.
std::string shown_time(const io::SnapshotHeader& header, const std::filesystem::path& configuration,
                       const run::RunUnits& file)
{
    run::RunUnits units = file;
    double time = header.time;
    if (std::filesystem::is_regular_file(configuration)) {
        units = run::load_config(configuration, {}).units.value_or(run::RunUnits{});
        if (!units.nbody && header.units)
            time *= units.from_internal(Quantity::time) / units.to_file(*header.units).time;
    }
    return (header.comoving ? "a = " : "t = ") + run::time_text(time, units);
}

}  // namespace

std::optional<run::FrameRequest> frame_request_of(const Request& request)
{
    static constexpr std::array<std::string_view, 3> axes{"x", "y", "z"},
        colours{"density", "component", "velocity"};
    const std::string axis = request.value("axis", "z"), colour = request.value("colour", "density");
    if (std::ranges::find(axes, axis) == axes.end() || std::ranges::find(colours, colour) == colours.end())
        return {};
    return run::FrameRequest{axis[0], colour, 800};
}

LiveFrames::View& LiveFrames::view_of(const run::FrameRequest& what)
{
    const auto found = std::ranges::find(views_, what, &View::what);
    return found == views_.end() ? views_.emplace_back(View{what}) : *found;
}

std::optional<Response> LiveFrames::frame(const Request& request)
{
    const auto what = frame_request_of(request);
    if (!what || request.value("kind") != "live") return refusal(404, "no picture of that kind");
    std::optional<DrawnPicture> raw;
    std::uint64_t sequence = 0;
    {
        const std::scoped_lock lock(mutex_);
        View& view = view_of(*what);
        if (view.sequence <= request.number("after").value_or(0)) {
            view.wanted = any_wanted_ = true;
            return {};
        }
        if (view.raw) raw.emplace(std::move(*view.raw));
        view.raw.reset();
        sequence = view.sequence;
    }
    Encoded& encoded = encoded_[fmt::format("{} {}", what->axis, what->colour_by)];
    if (raw) {  // without the lock: the run does not wait
        const std::string time = raw->options.time_text;
        encoded = {io::png_bytes(io::encoded_png(finished_picture(std::move(*raw)))), time, sequence};
    }
    Response response = png_response(encoded.png, encoded.time);
    response.headers.emplace_back("X-Sequence", fmt::format("{}", encoded.sequence));
    return response;
}

bool LiveFrames::requested(run::FrameRequest& request)
{
    if (!any_wanted_ || run::steady_seconds() < next_) return false;
    const std::scoped_lock lock(mutex_);
    // of several, the one whose last picture is the oldest
    View* oldest = nullptr;
    for (View& view : views_)
        if (view.wanted && (!oldest || view.sequence < oldest->sequence)) oldest = &view;
    if (!oldest) {
        any_wanted_ = false;
        return false;
    }
    drawing_ = oldest;
    request = oldest->what;
    began_ = run::steady_seconds();
    return true;
}

void LiveFrames::drawn(DrawnPicture&& drawn)
{
    {
        const std::scoped_lock lock(mutex_);
        drawing_->raw.emplace(std::move(drawn));
        drawing_->sequence = ++sequence_;
        drawing_->wanted = false;
    }
    const double now = run::steady_seconds();
    next_ = now + std::max(shortest_pause, (now - began_) * (1 / largest_share - 1));
    ready_();
}

SnapshotFrames::SnapshotFrames(const RunView& view, std::function<void()> ready)
    : view_(view), ready_(std::move(ready)), worker_([this] { work(); })
{
}

SnapshotFrames::~SnapshotFrames()
{
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
    }
    wakes_.notify_one();
    worker_.join();
}

std::optional<Response> SnapshotFrames::frame(const Request& request)
{
    const auto what = frame_request_of(request);
    const auto number = request.number("number");
    if (!what || !number || *number > 0xffffffff || request.value("kind") != "snapshot")
        return refusal(404, "no picture of that kind");
    const Job job{static_cast<unsigned>(*number), *what, request.value("version")};
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(drawn_, job, &std::pair<Job, Response>::first);
    if (found != drawn_.end()) return found->second;
    if (std::ranges::find(queue_, job) == queue_.end()) {
        queue_.push_front(job);
        if (queue_.size() > most_jobs) queue_.pop_back();  // its request comes again
        wakes_.notify_one();
    }
    return {};
}

void SnapshotFrames::work()
{
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wakes_.wait(lock, [&] { return ends_ || !queue_.empty(); });
            if (ends_) return;
            job = queue_.front();
        }
        Response response;
        try {
            response = draw(job);
        } catch (const std::exception& error) {
            response = refusal(500, error.what());
        }
        {
            const std::scoped_lock lock(mutex_);
            std::erase(queue_, job);
            drawn_.emplace_front(job, std::move(response));
            if (drawn_.size() > most_kept) drawn_.pop_back();
        }
        ready_();
    }
}

Response SnapshotFrames::draw(const Job& job)
{
    const std::filesystem::path file = view_.snapshot(job.number);
    if (file.empty()) return refusal(404, fmt::format("no snapshot {}", job.number));
    io::Snapshot snapshot = io::read_snapshot(file, io::SnapshotArrays::reading());
    const run::RunUnits units = run::file_units(snapshot, {}, snapshot.notes);
    if (units.nbody) io::restore_nbody_numbers(snapshot);
    PictureOptions options;
    options.axis = job.what.axis;
    options.colour_by = colour_by_of(job.what.colour_by);
    options.pixels = job.what.pixels;
    options.side = snapshot.header.box_size;
    options.length_unit = units.name(Quantity::length);
    const std::string key = fmt::format("{} {} {}", job.what.axis, job.what.colour_by, job.version);
    const ConstParticlesView particles = snapshot.particles.view();
    if (!frames_.contains(key)) frames_.emplace(key, painter_.with_fixed_frame({}, particles, options));
    options = frames_.at(key);
    options.time_text =
        shown_time(snapshot.header, view_.directory() / run::resolved_configuration_name, units);
    options.halos = circles_beside(view_.directory() / io::catalogue_names.of(job.number));
    Response response =
        png_response(io::png_bytes(io::encoded_png(finished_picture(painter_.draw({}, particles, options)))),
                     options.time_text);
    response.headers.emplace_back("Cache-Control", "private, max-age=3600");
    return response;
}

}  // namespace aureole::live
