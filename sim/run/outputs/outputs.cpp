#include "sim/run/outputs/outputs.hpp"

#include <algorithm>

#include "halo/fof/linking_length.hpp"
#include "sim/analysis/subsample.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/diagnostics/state_hash.hpp"
#include "sim/run/outputs/output_names.hpp"
#include "sim/run/run_estimate.hpp"

namespace aureole::run {

namespace {

/// The time of a run's snapshot, in internal units.
double internal_time_of(const std::filesystem::path& file, const Config& config)
{
    if (io::is_hdf5(file)) {
        const io::Hdf5File snapshot = io::Hdf5File::open(file);
        return snapshot.number("/Header", "Time") / snapshot.number("/Provenance", "FileTimePerInternal");
    }
    const RunUnits units = config.units.value_or(RunUnits{});
    const io::SnapshotHeader header = io::read_snapshot(file).header;
    return header.time /
           (header.units ? units.to_file(*header.units) : units.to_files(config.output.units)).time;
}

}  // namespace

double last_snapshot_time(const std::filesystem::path& directory, const Config& config)
{
    const io::SnapshotFormat& format = io::written_formats().at(config.output.format);
    const auto whole = [&](unsigned number) {
        return io::file_of(format, directory / io::snapshot_stems.of(number));
    };
    std::optional<unsigned> last;
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        const auto number = io::snapshot_number_in(name, io::snapshot_stems);
        if (!number || (last && *number < *last)) continue;
        // the first part is the last to be written
        for (const std::filesystem::path& file : {whole(*number), io::part_file(format, whole(*number), 0)})
            if (file.filename() == name) {
                last = *number;
                newest = file;
            }
    }
    if (last) try {
            return internal_time_of(newest, config);
        } catch (const IoError&) {
            // damaged: as if it were not there
        }
    return -std::numeric_limits<double>::infinity();
}

Outputs::Outputs(std::filesystem::path directory, const Config& config, const Config& internal,
                 Provenance provenance)
    : directory_(std::move(directory)),
      config_(config),
      internal_(internal),
      units_(config.units.value()),
      provenance_(std::move(provenance)),
      format_(io::written_formats().at(config.output.format)),
      writer_(format_.writing.make()),
      coefficients_(directory_, units_, config.output.units, provenance_),
      pictures_(config, internal)
{
}

std::string Outputs::write_coefficients(Simulation& simulation, Timers& timers)
{
    const Timers::Scope scope(timers, Phase::snapshots);
    return coefficients_.write(simulation.coefficients(), simulation.time());
}

std::string Outputs::write(Simulation& simulation, const DueOutputs& due, Timers& timers,
                           Diagnostics& diagnostics, const Progress& progress)
{
    std::string line;
    std::optional<halo::GroupsView> groups;
    std::optional<HaloCatalogue> found;
    std::vector<DrawnPicture> pictures;
    std::optional<PowerSpectrum> power;
    if (due.power) {
        const Timers::Scope scope(timers, Phase::diagnostics);
        power = spectrum(simulation, progress);
    }
    std::optional<DensityOutput> density;
    if (due.density)
        density = density_of_run(simulation.exec(), simulation.host().view(), internal_, units_,
                                 simulation.time(), progress);
    std::vector<DiskOutput> disks;
    if (due.disks) {
        const Timers::Scope scope(timers, Phase::diagnostics);
        disks = disk_outputs(internal_, units_, simulation.exec(), simulation.view(), simulation.time());
    }
    if (due.halos || (due.picture && colour_by_of(config_.pictures.colour_by) == ColourBy::halo)) {
        const Timers::Scope scope(timers, Phase::halos);
        groups = find_groups(simulation, progress);
    }
    if (due.halos) {
        const Timers::Scope scope(timers, Phase::halos);
        const HaloInput input{simulation.exec(), simulation.view(), *groups};
        found =
            catalogues_.make(input, internal_.halos, halo_context(simulation.time()),
                             {.particles = due.snapshot, .members = config_.output.merger_trees}, progress);
        line += " " + find_summary(groups->n, halo::sizes_on_host(input.exec, *groups), *search_,
                                   units_.name(Quantity::length));
        line += fmt::format(" ({})", text_of(catalogues_.times()));
    }
    if (due.picture) {
        const Timers::Scope scope(timers, Phase::pictures);
        pictures = pictures_.draw(simulation, groups ? &*groups : nullptr, found ? &found->table : nullptr,
                                  progress);
    }
    // from here on nothing stops
    if (found) {
        const Timers::Scope scope(timers, Phase::halos);
        io::CatalogueContent content = catalogue_frame(internal_, units_, simulation.time());
        content.provenance = provenance_;
        write_halo_files(directory_, next_, *found, content, halo_files());
        if (config_.output.mass_functions) write_mass_function(found->table, simulation.time());
        diagnostics.record_halos(simulation.time(), next_, found->table);
        if (found->members)
            line += trees_.add(directory_, simulation, next_, *found, content, internal_,
                               halo_context(simulation.time()));
    }
    if (power) {
        write_spectrum(*power, simulation.time());
        line += " " + power_tables.of(next_);
        line += made_where(*power, simulation.exec().backend);
    }
    if (density) {
        write_density(directory_ / density_names.of(next_), *density, internal_, units_, simulation.time(),
                      provenance_);
        line += " " + density_names.of(next_);
    }
    line += write_disk_outputs(disks, directory_, next_, units_, simulation.time(), provenance_);
    if (due.snapshot) line += " " + snapshot_text(io::snapshot_stems.of(next_));
    if (due.picture) {
        const Timers::Scope scope(timers, Phase::pictures);
        line += pictures_.begin(std::move(pictures), directory_, next_, provenance_);
    }
    const Timers::Scope scope(timers, Phase::snapshots);
    if (due.snapshot) begin_snapshot(simulation, std::move(found));
    if (due.numbered()) ++next_;
    return line;
}

std::string Outputs::write_trees(Timers& timers)
{
    if (!config_.output.merger_trees || !trees_.any()) return {};
    const Timers::Scope scope(timers, Phase::halos);
    return write_tree_file(directory_, provenance_);
}

PowerSpectrum Outputs::spectrum(Simulation& simulation, const Progress& progress)
{
    const PowerSettings settings{internal_.power.mesh, internal_.power.folds};
    const double side = box_of(internal_).side;
    const Exec exec = simulation.exec();
    const std::size_t n_components = config_.initial_conditions.components.size();
    spectra_planned_ = spectra_backend(internal_, exec.backend, simulation.size(), n_components);
    if (spectra_planned_ == exec.backend) try {
            return power_spectrum(exec, simulation.view(), side, settings, progress);
        } catch (const MemoryError&) {
            if (exec.backend == Backend::cpu) throw;
            // other programs have the memory, or cuFFT wants more than usual
        }
    return power_spectrum({}, simulation.host().view(), side, settings, progress);
}

/// What the log says of a spectrum that was not made where the run computes.
std::string Outputs::made_where(const PowerSpectrum& spectrum, Backend computes) const
{
    if (spectrum.where == computes) return {};
    return spectra_planned_ == computes
               ? " (made on the host: too little memory was free on the GPU; last bits may differ)"
               : " (made on the host)";
}

/// Read when the first output needs it.
const LinearTheory* Outputs::theory()
{
    if (!theory_) theory_ = LinearTheory::of(internal_.cosmology, internal_.end_time);
    return theory_ ? &*theory_ : nullptr;
}

/// In (Mpc/h)^3 where there is an h, else in the run's units of length.
void Outputs::write_spectrum(const PowerSpectrum& spectrum, double time)
{
    const bool comoving = units_.comoving();
    const double length = comoving ? hubble_scales(units_.system, units_.hubble).length
                                   : units_.from_internal(Quantity::length);
    const Table table = power_table(spectrum, length, theory(), time);
    const io::ColumnUnits units =
        comoving ? hubble_units : io::ColumnUnits{units_.name(Quantity::length), "", ""};
    const io::Attributes attributes{{"Time", time * units_.from_internal(Quantity::time)},
                                    {"BoxSize", box_of(internal_).side * length},
                                    {"Mesh", std::int64_t{spectrum.mesh}},
                                    {"Folds", std::int64_t{internal_.power.folds}}};
    write_statistics(directory_ / power_tables.of(next_), table, units, {}, {});
    write_statistics(directory_ / power_files.of(next_), table, units, attributes, provenance_);
}

void Outputs::write_mass_function(const Table& groups, double time)
{
    const HubbleScales scales = hubble_scales(units_.system, units_.hubble);
    const double side = box_of(internal_).side * scales.length;
    const Table table =
        mass_function_table(groups, {scales.mass, side * side * side, time, box_of(internal_).side},
                            internal_.halos.mass_bins, theory());
    write_statistics(directory_ / mass_function_tables.of(next_), table, hubble_units, {}, {});
}

/// The first call plans the search; in an expanding universe a linking velocity is another momentum each
/// time.
halo::GroupsView Outputs::find_groups(Simulation& simulation, const Progress& progress)
{
    const Box box = box_of(internal_);
    const bool changes = units_.comoving() && internal_.halos.linking_velocity;
    if (!search_ || changes) {
        HalosConfig halos = internal_.halos;
        if (changes) *halos.linking_velocity *= simulation.time();
        const bool counts = box.periodic() && halos.linking_length && !halos.mean_separation;
        search_ = plan_halo_search(
            halos, counts ? halo::number_linking(simulation.host(), linking_types(halos)) : 0, box);
        finder_ = search_->make_finder();
    }
    return catalogues_.find(simulation.exec(), simulation.view(), *finder_, progress);
}

/// The last part of an output: until finish() only the background thread uses the HDF5 library and what is
/// written.
void Outputs::begin_snapshot(Simulation& simulation, std::optional<HaloCatalogue> found)
{
    const std::string stem = io::snapshot_stems.of(next_);
    const double time = simulation.time();
    if (found) {
        background_.start([this, stem, time, halos = std::move(*found)] {
            write_chosen(stem, halos.sorted, time, halos.labels);
        });
        return;
    }
    // the host's copy of a device's particles stays valid until the next host(); particles of the CPU change
    // with the next step
    const Particles& host = simulation.host();
    if (simulation.exec().backend == Backend::cpu) return write_chosen(stem, host, time, {});
    background_.start([this, stem, time, &host] { write_chosen(stem, host, time, {}); });
}

HaloContext Outputs::halo_context(double time) const
{
    HaloContext context = run::halo_context(internal_, units_, time);
    context.softening = largest_softening(internal_);
    context.linking_length = search_->fof.linking_length;
    return context;
}

HaloFiles Outputs::halo_files() const
{
    HaloFiles files;
    files.yt = config_.output.yt_catalogues;
    if (config_.output.halo_tables) files.table = directory_ / io::halo_table_names.of(next_);
    files.table_units = {units_.name(Quantity::length), units_.name(Quantity::mass),
                         units_.name(Quantity::velocity)};
    files.table_scales.velocity = units_.from_internal(Quantity::velocity);
    return files;
}

io::SnapshotContent Outputs::content(const Particles& host, double time) const
{
    io::SnapshotContent content = file_frame(internal_, units_, time);
    content.compress = config_.output.compression == "gzip";
    content.softening = softening_of(internal_).length;
    content.provenance = provenance_;
    content.provenance.emplace_back("StateHash", fmt::format("{:016x}", state_hash(host)));
    return content;
}

void Outputs::write_snapshot(const std::string& stem, const Particles& host, double time,
                             std::span<const std::int32_t> labels) const
{
    io::SnapshotContent all = content(host, time);
    all.potential = true;
    all.group = labels;
    write_files(stem, host, std::move(all));
}

void Outputs::write_chosen(const std::string& stem, const Particles& host, double time,
                           std::span<const std::int32_t> labels) const
{
    const SnapshotChoice& choice = config_.output.snapshot_choice;
    io::SnapshotContent part = content(host, time);
    part.potential = true;
    part.group = labels;
    part.fields = fields_of(choice);
    part.mantissa_bits = mantissa_bits_of(choice);
    // the offsets of a catalogue count all particles of its snapshot
    if (choice.of_all_particles() || !labels.empty()) return write_files(stem, host, std::move(part));
    const std::vector<Index> chosen = chosen_particles(host, choice, config_.seed);
    if (chosen.empty())
        throw ConfigError(
            fmt::format("output.snapshots: of {} particles none is of the chosen types and in the "
                        "subsample, expected at least one",
                        host.size()));
    for (auto& entry : provenance_of(choice, config_.seed)) part.provenance.push_back(std::move(entry));
    write_files(stem, host.gathered(chosen), std::move(part));
}

void Outputs::write_files(const std::string& stem, const Particles& host, io::SnapshotContent content) const
{
    io::write_in_parts(format_, *writer_, snapshot_file(stem), host.view(), std::move(content),
                       config_.output.files);
}

std::string Outputs::snapshot_text(const std::string& stem) const
{
    const std::string name = snapshot_file(stem).filename().string();
    if (config_.output.files == 1) return name;
    return fmt::format("{} in {} files", name, config_.output.files);
}

std::filesystem::path Outputs::snapshot_file(const std::string& stem) const
{
    return io::file_of(format_, directory_ / stem);
}

std::filesystem::path Outputs::write_failed(Simulation& simulation, std::uint64_t step,
                                            const std::string& message) const
{
    const Particles& host = simulation.host();
    io::SnapshotContent all = content(host, simulation.time());
    all.acceleration = true;
    all.provenance.emplace_back("Failure", message);
    const std::string name = failed_names.of(step);
    io::write_snapshot(directory_ / name, host, all);
    return name;
}

std::filesystem::path Outputs::write_extra(Simulation& simulation, std::uint64_t step) const
{
    // potentials apart from the particles' own: asking a solver for them could change the accelerations
    const Particles& host = simulation.host();
    Particles present = host.copy_to(Backend::cpu);
    std::ranges::copy(simulation.own_potential({0, static_cast<Index>(host.size())}),
                      present.potential.host().begin());
    const std::string stem = extra_stems.of(step);
    write_snapshot(stem, present, simulation.time(), {});
    return snapshot_file(stem).filename();
}

OutputsState Outputs::state() const
{
    const auto [frame, zoom] = pictures_.frames();
    return {next_, frame, zoom, coefficients_.series(), trees_.state()};
}

void Outputs::restore(OutputsState state)
{
    next_ = state.next;
    coefficients_.restore(std::move(state.coefficients));
    if (config_.output.merger_trees) trees_.restore(std::move(state.trees));
    pictures_.restore({state.frame, state.zoom});
}

}  // namespace aureole::run
