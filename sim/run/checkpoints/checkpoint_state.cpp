#include "sim/run/checkpoints/checkpoint_state.hpp"

#include "sim/io/checkpoint_file.hpp"
#include "sim/run/checkpoints/state_archive.hpp"

namespace aureole::run {
namespace {

constexpr char state_section[] = "state", provenance_section[] = "provenance",
               integrator_section[] = "integrator", due_section[] = "due", doubt_section[] = "doubt",
               frames_section[] = "frames", bar_section[] = "bar", trees_section[] = "trees",
               owners_section[] = "owners";

using DueFlags = std::array<std::uint8_t, 8>;
constexpr std::size_t fewest_flags =
    5;  ///< in checkpoints of versions that made no spectra, densities and tables of disks

DueFlags flags_of(const DueOutputs& due)
{
    return {due.snapshot, due.halos, due.picture, due.coefficients,
            due.record,   due.power, due.density, due.disks};
}

DueOutputs read_due(io::CheckpointFile& in, const std::string& name)
{
    DueFlags flags{};
    const std::size_t stored = in.size(due_section);
    if (stored < fewest_flags || stored > flags.size())
        throw IoError(fmt::format("{}: holds {} flags of outputs that are due, expected {}", name, stored,
                                  flags.size()));
    in.read(due_section, std::as_writable_bytes(std::span(flags).first(stored)));
    for (const std::uint8_t flag : flags)
        if (flag > 1)
            throw IoError(
                fmt::format("{}: a flag of outputs that are due is {}, expected 0 or 1", name, flag));
    return {flags[0] == 1, flags[1] == 1, flags[2] == 1, flags[3] == 1,
            flags[4] == 1, flags[5] == 1, flags[6] == 1, flags[7] == 1};
}

}  // namespace

// What each state consists of. A field that is missing here is a field that a continued run forgets.

template <class Archive>
void visit_state(Archive& archive, UnitSystem& s)
{
    archive(s.length_cm, s.mass_g, s.velocity_cm_per_s);
}

template <class Archive>
void visit_state(Archive& archive, RunUnits& s)
{
    archive(s.nbody, s.system);
}

template <class Archive>
void visit_state(Archive& archive, gravity::scf::Basis& s)
{
    archive(s.family, s.n_max, s.l_max, s.scale_radius);
}

template <class Archive>
void visit_state(Archive& archive, gravity::scf::Coefficients& s)
{
    archive(s.time, s.centre, s.values, s.variances);
}

template <class Archive>
void visit_state(Archive& archive, gravity::scf::CoefficientSeries& s)
{
    archive(s.basis, s.moments);
}

template <class Archive>
void visit_state(Archive& archive, gravity::EnergyTerms& s)
{
    archive(s.fixed_field, s.recentring_jumps, s.not_conserved);
}

template <class Archive>
void visit_state(Archive& archive, SimulationState& s)
{
    // the integrator's state has a section of its own
    archive(s.time, s.balance.terms, s.balance.external_work, s.external_power, s.solver);
}

template <class Archive>
void visit_state(Archive& archive, OutputTimes::State& s)
{
    archive(s.start, s.every, s.passed);
}

template <class Archive>
void visit_state(Archive& archive, DiagnosticsState& s)
{
    EnergyConservation::State& c = s.conservation;  // the bar's state has a section of its own
    archive(c.first, c.first_size, c.now, c.error, c.largest_error, c.not_conserved, s.bytes);
}

template <class Archive>
void visit_state(Archive& archive, DensityRange& s)
{
    archive(s.low, s.high);
}

template <class Archive>
void visit_state(Archive& archive, VelocityRange& s)
{
    archive(s.middle, s.spread);
}

template <class Archive>
void visit_state(Archive& archive, OutputsState::Frame& s)
{
    archive(s.axis, s.configured_width, s.width, s.centre, s.range, s.velocities);
}

/// What frames of pictures have beyond those of the first versions.
struct MoreOfFrames {
    std::optional<Vec3> centre, zoom_centre;  ///< of the configuration
    std::optional<PictureFrame> zoom;

    bool any() const { return centre || zoom; }
};

template <class Archive>
void visit_state(Archive& archive, MoreOfFrames& s)
{
    archive(s.centre, s.zoom_centre, s.zoom);
}

MoreOfFrames more_of_frames(const OutputsState& outputs)
{
    MoreOfFrames more;
    if (outputs.frame) more.centre = outputs.frame->configured_centre;
    more.zoom = outputs.zoom;
    if (outputs.zoom) more.zoom_centre = outputs.zoom->configured_centre;
    return more;
}

void take_up(const MoreOfFrames& more, OutputsState& outputs)
{
    if (outputs.frame) outputs.frame->configured_centre = more.centre;
    outputs.zoom = more.zoom;
    if (outputs.zoom) outputs.zoom->configured_centre = more.zoom_centre;
}

template <class Archive>
void visit_state(Archive& archive, halo::HaloTrack& s)
{
    archive(s.id, s.mass_history, s.peak_mass, s.v_max_at_peak, s.birth, s.infall, s.origin);
}

template <class Archive>
void visit_state(Archive& archive, halo::HaloTracker::Past& s)
{
    // the halos of particles have a section of their own
    archive(s.number, s.cores.particle, s.cores.begin, s.tracks, s.goes_on);
}

template <class Archive>
void visit_state(Archive& archive, halo::HaloTracker::State& s)
{
    archive(s.next_id, s.past);
}

template <class Archive>
void visit_state(Archive& archive, OutputsState& s)
{
    // halos that are followed have sections of their own
    archive(s.next, s.frame, s.coefficients);
}

template <class Archive>
void visit_state(Archive& archive, RunState& s)
{
    // the outputs that are due, a doubt about the units, and zooms have sections of their own
    archive(s.configuration, s.units, s.version, s.device, s.backend, s.n_particles, s.start_time, s.step,
            s.coefficients, s.simulation, s.schedule, s.diagnostics, s.outputs, s.seconds);
}

namespace {

/// Calls visit(name, elements) for every array of host particles, or for those alone that no step changes.
template <class Set, class Visit>
void for_each_section(Set& p, bool moving, Visit visit)
{
    visit("mass", p.mass.host());
    if (moving)
        for_each_moving_array(p, [&](const std::string& name, auto& array) { visit(name, array.host()); });
    visit("id", p.id.host());
    visit("type", p.type.host());
    visit("component", p.component.host());
}

}  // namespace

std::map<std::uint64_t, gravity::scf::CoefficientSeries> coefficients_in(const Config& internal)
{
    std::map<std::uint64_t, gravity::scf::CoefficientSeries> result;
    const auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k)
        if (components[k].coefficients) result.emplace(k, *components[k].coefficients);
    return result;
}

std::vector<std::byte> bytes_of(const RunState& state)
{
    StateWriter writer;
    writer(state);
    return {writer.bytes().begin(), writer.bytes().end()};
}

RunState run_state_of(std::span<const std::byte> bytes, const std::string& name)
{
    RunState state;
    StateReader reader(bytes, name);
    reader(state);
    reader.end();
    return state;
}

void write_checkpoint(const std::filesystem::path& file, const std::filesystem::path& previous,
                      const RunState& state, const Particles& host, const io::Provenance& provenance,
                      const std::function<void()>& before_rename, const CheckpointPieces& pieces)
{
    AUREOLE_EXPECT(state.n_particles == host.size(), "{} particles in the state, {} beside it",
                   state.n_particles, host.size());
    const std::vector<std::byte> all = bytes_of(state);
    const std::string origin = io::to_json(provenance);
    std::vector<io::CheckpointSection> sections{{state_section, all},
                                                {provenance_section, std::as_bytes(std::span(origin))}};
    std::size_t bytes = 0;
    for_each_section(host, !pieces.any(), [&](const std::string& name, auto elements) {
        sections.push_back({name, std::as_bytes(elements)});
        bytes += elements.size_bytes();
    });
    const std::size_t each = Particles::bytes_per_particle() - (pieces.any() ? moving_bytes_per_particle : 0);
    AUREOLE_EXPECT(bytes == host.size() * each,
                   "the sections of a checkpoint hold {} bytes of the particles' {} each", bytes, each);
    const std::vector<std::byte> of_pieces = run::bytes_of(pieces);
    if (pieces.any()) sections.push_back({pieces_section, of_pieces});
    // left out where they are empty, so that such files are those of earlier versions
    const DueFlags due = flags_of(state.due);
    if (state.due.any()) sections.push_back({due_section, std::as_bytes(std::span(due))});
    if (!state.doubt.empty()) sections.push_back({doubt_section, std::as_bytes(std::span(state.doubt))});
    if (const std::vector<double>& kept = state.simulation.integrator; !kept.empty())
        sections.push_back({integrator_section, std::as_bytes(std::span(kept))});
    StateWriter frames;
    if (const MoreOfFrames more = more_of_frames(state.outputs); more.any()) {
        frames(more);
        sections.push_back({frames_section, frames.bytes()});
    }
    if (const std::vector<double>& kept = state.diagnostics.bar; !kept.empty())
        sections.push_back({bar_section, std::as_bytes(std::span(kept))});
    StateWriter trees;
    std::vector<std::int32_t> owners;
    if (const halo::HaloTracker::State& kept = state.outputs.trees; !kept.past.empty()) {
        trees(kept);
        for (const halo::HaloTracker::Past& past : kept.past)
            owners.insert(owners.end(), past.owner.begin(), past.owner.end());
        sections.push_back({trees_section, trees.bytes()});
        sections.push_back({owners_section, std::as_bytes(std::span(owners))});
    }
    io::write_checkpoint_file(file, previous, sections, before_rename);
}

namespace {

/// The numbers of a section; none where it is absent.
std::vector<double> read_numbers(io::CheckpointFile& in, const char* section, const char* owner,
                                 const std::filesystem::path& file)
{
    if (!in.contains(section)) return {};
    const std::size_t size = in.size(section);
    if (size % sizeof(double) != 0)
        throw IoError(fmt::format("{}: the state of {} has {} bytes, expected whole numbers of 8 bytes",
                                  file.string(), owner, size));
    std::vector<double> numbers(size / sizeof(double));
    in.read(section, std::as_writable_bytes(std::span(numbers)));
    return numbers;
}

/// The halos that a run follows; of each catalogue that is kept one number per particle.
halo::HaloTracker::State read_trees(io::CheckpointFile& in, const std::filesystem::path& file,
                                    std::uint64_t n)
{
    halo::HaloTracker::State state;
    if (!in.contains(trees_section)) return state;
    std::vector<std::byte> kept(in.size(trees_section));
    in.read(trees_section, kept);
    StateReader reader(kept, file.string());
    reader(state);
    reader.end();
    const std::size_t stored = in.size(owners_section);
    if (state.past.size() > 2 || stored != state.past.size() * n * sizeof(std::int32_t))
        throw IoError(fmt::format("{}: {} bytes of the halos of {} particles in {} catalogues", file.string(),
                                  stored, n, state.past.size()));
    std::vector<std::int32_t> owners(state.past.size() * n);
    in.read(owners_section, std::as_writable_bytes(std::span(owners)));
    for (auto from = owners.begin(); halo::HaloTracker::Past & past : state.past) {
        past.owner.assign(from, from + static_cast<std::ptrdiff_t>(n));
        from += static_cast<std::ptrdiff_t>(n);
    }
    return state;
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& file)
{
    io::CheckpointFile in(file);
    std::vector<std::byte> bytes(in.size(state_section));
    in.read(state_section, bytes);
    Checkpoint checkpoint;
    checkpoint.state = run_state_of(bytes, file.string());
    const std::uint64_t n = checkpoint.state.n_particles, stored = in.size("mass");
    if (n > max_particles || n * sizeof(double) != stored)  // before memory is allocated
        throw IoError(
            fmt::format("{}: {} particles in the state, but {} bytes of masses", file.string(), n, stored));
    checkpoint.particles = Particles(Backend::cpu, n);
    const CheckpointPieces pieces = pieces_of(in, file.string());
    for_each_section(checkpoint.particles, !pieces.any(), [&](const std::string& name, auto elements) {
        in.read(name, std::as_writable_bytes(elements));
    });
    if (pieces.any()) read_checkpoint_pieces(file.parent_path(), pieces, file.string(), checkpoint.particles);
    checkpoint.state.simulation.integrator = read_numbers(in, integrator_section, "the integrator", file);
    checkpoint.state.diagnostics.bar = read_numbers(in, bar_section, "the bar", file);
    if (in.contains(doubt_section)) {
        checkpoint.state.doubt.resize(in.size(doubt_section));
        in.read(doubt_section, std::as_writable_bytes(std::span(checkpoint.state.doubt)));
    }
    if (in.contains(frames_section)) {
        std::vector<std::byte> kept(in.size(frames_section));
        in.read(frames_section, kept);
        StateReader frames(kept, file.string());
        MoreOfFrames more;
        frames(more);
        frames.end();
        take_up(more, checkpoint.state.outputs);
    }
    checkpoint.state.outputs.trees = read_trees(in, file, n);
    if (in.contains(due_section)) checkpoint.state.due = read_due(in, file.string());
    expect_usable(checkpoint, file.string());
    return checkpoint;
}

std::string checkpoint_provenance(const std::filesystem::path& file)
{
    io::CheckpointFile in(file);
    std::string text(in.size(provenance_section), '\0');
    in.read(provenance_section, std::as_writable_bytes(std::span(text)));
    return text;
}

}  // namespace aureole::run
