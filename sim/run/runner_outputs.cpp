// What the loop writes: outputs that are due, checkpoints, the last state of a run that failed or was
// stopped.
#include "sim/run/control/run_directory.hpp"
#include "sim/run/runner.hpp"

namespace aureole::run {

/// Waits for the snapshot in the background, before anything else is written by the HDF5 library.
void Runner::finish_snapshot()
{
    const Timers::Scope scope(timers_, Phase::snapshots);
    try {
        outputs_.finish();
    } catch (const Error&) {
        outputs_.finish_picture();  // where it failed too, it is told: it was begun first
        throw;
    }
}

/// Waits for outputs that are being written, so that what exists is complete.
void Runner::finish_outputs()
{
    finish_snapshot();
    finish_picture();
}

void Runner::finish_picture()
{
    const Timers::Scope scope(timers_, Phase::pictures);
    outputs_.finish_picture();
}

void Runner::finish_writes()
{
    finish_outputs();
    finish_checkpoint();
}

/// Throws what a write has failed with as soon as that is known, and not with the next output only.
void Runner::look_at_writes()
{
    if (outputs_.snapshot_ended()) finish_snapshot();
    if (outputs_.picture_ended()) finish_picture();
    if (checkpoints_.ended()) finish_checkpoint();
}

/// Writes the outputs that are due; at an `edge`, the first or the last state, all outputs.
void Runner::observe(bool edge, const Progress& progress)
{
    due_ = schedule_.due(simulation_.time(), edge);
    schedule_.pass(simulation_.time());
    make_due_outputs(progress);
}

/// One after the other; what is done is no longer due when a stop interrupts the next. Coefficients come
/// first, as a resumed run need not know those of accelerations that it has not computed.
void Runner::make_due_outputs(const Progress& progress)
{
    const Timers::Scope scope(timers_, Phase::diagnostics);
    std::string coefficients, numbered;
    const bool tells = due_.numbered() || due_.coefficients;
    if (due_.coefficients || due_.halos || due_.snapshot || due_.power || due_.density || due_.disks)
        finish_snapshot();
    if (due_.coefficients) coefficients = " " + outputs_.write_coefficients(simulation_, timers_);
    due_.coefficients = false;
    if (due_.record) record(progress);
    due_.record = false;
    if (due_.numbered()) numbered = outputs_.write(simulation_, due_, timers_, diagnostics_, progress);
    due_ = {};
    if (tells) say(fmt::format("t = {}:{}{}", time_text(user_time(), units_), numbered, coefficients));
}

void Runner::record(const Progress& progress)
{
    const std::string& not_conserved = diagnostics_.conservation().not_conserved();
    const bool was_conserved = not_conserved.empty();
    diagnostics_.record(simulation_, timers_, step_, progress);
    due_.record = false;  // the checks below may end the run
    warn(check_.energy(diagnostics_.conservation()));
    for (const std::string& doubt : diagnostics_.warnings()) warn(doubt);
    if (const auto& analyse = options_.callbacks.record) {
        finish_snapshot();  // it may use the HDF5 library
        analyse(simulation_.host().view(), simulation_.time());
    }
    if (was_conserved && !not_conserved.empty())
        say("no energy is conserved: " + not_conserved, LogLevel::note);
}

/// Of particles within the limits: the loops of a picture need finite numbers.
void Runner::draw_requested_frame()
{
    const RunCallbacks& callbacks = options_.callbacks;
    FrameRequest request;
    if (!callbacks.frame_requested || !callbacks.frame_requested(request)) return;
    check_particles();
    const Timers::Scope scope(timers_, Phase::pictures);
    callbacks.frame_drawn(outputs_.frame(simulation_, request));
}

RunState Runner::state() const
{
    RunState state;
    state.configuration = to_yaml(config_);
    state.units = units_;
    state.version = options_.maker.version;
    state.device = device_;
    state.backend = simulation_.exec().backend;
    state.n_particles = simulation_.size();
    state.start_time = start_time_;
    state.doubt = check_.doubt();
    state.step = step_;
    state.coefficients = coefficients_in(internal_);
    state.simulation = simulation_.state();
    state.schedule = schedule_.state();
    state.due = due_;
    state.diagnostics = diagnostics_.state();
    state.outputs = outputs_.state();
    state.seconds = timers_.all();
    return state;
}

/// None where the first rank is to write all that the checkpoint holds.
CheckpointPieces Runner::pieces_of_ranks()
{
    if (!writes_pieces_ || !simulation_.has_runs_of_ranks()) return {};
    CheckpointPieces pieces = simulation_.write_pieces(step_, directory_);
    writes_pieces_ = pieces.any();
    if (!writes_pieces_)
        say("the ranks do not all see the directory of the run: the first writes whole checkpoints",
            LogLevel::note);
    return pieces;
}

/// Copies what the next steps would change, or lets the ranks that have it write it; the rest is done beside
/// them. The checkpoint gets its name when all that it counts as done is on the disk.
void Runner::begin_checkpoint(const RunControl& control, Next next)
{
    check_particles();
    finish_checkpoint();
    control.expect_directory();
    const Timers::Scope scope(timers_, Phase::checkpoints);
    CheckpointPieces pieces = pieces_of_ranks();
    const bool by_ranks = pieces.any();
    const bool beside = next == Next::step &&
                        (by_ranks || written_beside_steps(simulation_.exec().backend, simulation_.size()));
    const Particles& host = by_ranks ? simulation_.host_of_any_time()
                            : beside ? simulation_.host_copy()
                                     : simulation_.host();
    RunState now = state();
    const unsigned first = std::exchange(synced_, now.outputs.next), end = synced_;
    checkpoints_.begin(
        std::move(now), host, provenance_,
        [this, &control, writes = outputs_.pending(), first, end] {
            for (const std::shared_future<void>& write : writes)
                if (write.valid()) write.get();
            diagnostics_.sync();
            sync_outputs(directory_, first, end);
            control.expect_directory();  // all that may have taken long
        },
        std::move(pieces));
    begun_step_ = step_;
    if (next == Next::step && !beside) finish_checkpoint();
}

void Runner::finish_checkpoint()
{
    const Timers::Scope scope(timers_, Phase::checkpoints);
    checkpoints_.finish();
    if (begun_step_) checkpoint_step_ = begun_step_;
}

void Runner::fail(const FailedCheck& failure, const RunControl& control)
{
    std::string text = fmt::format("step {}, t = {}: {}", step_, user_time(), failure.what());
    try {
        finish_writes();
        control.expect_directory();
        const std::filesystem::path name = outputs_.write_failed(simulation_, step_, text);
        text += fmt::format("; the state is in {}", (directory_ / name).string());
    } catch (const Error& error) {
        text += fmt::format("; the state could not be written: {}", error.what());
    }
    text += checkpoint_step_ ? fmt::format("; aureole run --resume {} goes on from the checkpoint of step {}",
                                           directory_.string(), *checkpoint_step_)
                             : std::string("; there is no checkpoint to go on from (output.checkpoints)");
    throw Error(text);
}

void Runner::stop(const std::string& reason, const RunControl& control)
{
    // a checkpoint that was due in this step is the same: another one would replace the one before it
    if (begun_step_ != step_) begin_checkpoint(control, Next::end);
    finish_writes();
    report(fmt::format("stopped by {}", reason));
    progress_file_.end("stopped", reason, control);
    if (due_.any())
        say(fmt::format("not made yet, and first of all when the run goes on: {}", names_of(due_)));
    say(fmt::format("to go on: aureole run --resume {}", directory_.string()));
}

}  // namespace aureole::run
