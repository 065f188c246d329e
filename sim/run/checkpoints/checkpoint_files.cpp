#include "sim/run/checkpoints/checkpoint_files.hpp"

namespace aureole::run {
namespace {

constexpr char damaged_name[] = "checkpoint_damaged.bin";

constexpr std::size_t most_copied_bytes = 256'000'000;

}  // namespace

bool written_beside_steps(Backend backend, std::size_t n_particles)
{
    return backend == Backend::cuda || n_particles * Particles::bytes_per_particle() <= most_copied_bytes;
}

memory::Part checkpoints_memory(const Config& internal, Backend where, std::size_t n_particles)
{
    const bool copied =
        where == Backend::cpu && any_checkpoints(internal.output) && written_beside_steps(where, n_particles);
    return {.what = "checkpoints",
            .knob = "fewer particles",
            .kept = copied ? n_particles * Particles::bytes_per_particle() : 0};
}

bool is_checkpoint_of_a_run(const std::string& name)
{
    return name == checkpoint_name || name == previous_checkpoint_name || name == damaged_name ||
           is_checkpoint_piece(name);
}

bool holds_checkpoint(const std::filesystem::path& directory)
{
    const auto there = [&](const char* name) {
        std::error_code ignored;  // what cannot be looked at counts as there: nothing is begun anew over it
        return std::filesystem::symlink_status(directory / name, ignored).type() !=
               std::filesystem::file_type::not_found;
    };
    return there(checkpoint_name) || there(previous_checkpoint_name) || there(damaged_name);
}

CheckpointFiles::CheckpointFiles(std::filesystem::path directory, const Config& internal, double time,
                                 WallClock clock)
    : directory_(std::move(directory)),
      steps_(internal.output.checkpoint_steps),
      minutes_(internal.output.checkpoint_minutes),
      schedule_(time, internal.output.checkpoints),
      clock_(std::move(clock)),
      last_(clock_())
{
    schedule_.pass(time);
}

bool CheckpointFiles::due(std::uint64_t step, double time) const
{
    const double minutes = minutes_ > 0 ? (clock_() - last_) / 60 : 0;
    return (steps_ > 0 && step % steps_ == 0) || schedule_.due(time) || (minutes_ > 0 && minutes >= minutes_);
}

void CheckpointFiles::begin(RunState state, const Particles& host, io::Provenance provenance,
                            std::function<void()> before_rename, CheckpointPieces pieces)
{
    write_.wait();
    schedule_.pass(state.simulation.time);
    last_ = clock_();
    write_.start([directory = directory_, state = std::move(state), &host, provenance = std::move(provenance),
                  before_rename = std::move(before_rename), pieces = std::move(pieces)] {
        const std::filesystem::path newest = directory / checkpoint_name,
                                    previous = directory / previous_checkpoint_name;
        write_checkpoint(newest, previous, state, host, provenance, before_rename, pieces);
        remove_unnamed_pieces(directory, {newest, previous}, directory / damaged_name);
    });
}

bool CheckpointFiles::any() const
{
    std::error_code ignored;
    return std::filesystem::exists(directory_ / checkpoint_name, ignored) ||
           std::filesystem::exists(directory_ / previous_checkpoint_name, ignored);
}

Checkpoint newest_checkpoint(const std::filesystem::path& directory, bool set_aside,
                             std::vector<std::string>& warnings)
{
    std::string complaints;
    for (const char* name : {checkpoint_name, previous_checkpoint_name}) {
        const std::filesystem::path file = directory / name;
        try {
            Checkpoint checkpoint = read_checkpoint(file);
            if (!complaints.empty()) {
                warnings.push_back(fmt::format("{}; the run goes on from {}, step {}", complaints,
                                               file.string(), checkpoint.state.step));
                std::error_code ignored;
                if (set_aside)
                    std::filesystem::rename(directory / checkpoint_name, directory / damaged_name, ignored);
            }
            return checkpoint;
        } catch (const MemoryError&) {
            throw;  // the file is good
        } catch (const Error& error) {
            complaints += (complaints.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    throw IoError(fmt::format(
        "{}: no checkpoint to go on from: {}. Without --resume, and with --overwrite, the run begins "
        "anew",
        directory.string(), complaints));
}

}  // namespace aureole::run
