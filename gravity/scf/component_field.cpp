#include "gravity/scf/component_field.hpp"

#include <cmath>

namespace aureole::gravity::scf {

void copy_elements(double* to, Backend to_where, const double* from, Backend from_where, std::size_t n)
{
    if (to_where == Backend::cpu && from_where == Backend::cpu)
        std::copy_n(from, n, to);
    else
        device::copy(to, from, n * sizeof(double));
}

std::span<const double> StateNumbers::take(std::size_t n)
{
    if (n > rest_.size())
        throw IoError(fmt::format("the state of the expansions ends early: {} numbers are left, expected {}",
                                  rest_.size(), n));
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
}

std::size_t StateNumbers::count(std::size_t most)
{
    const double n = next();
    if (!(n >= 0 && n <= static_cast<double>(most)))
        throw IoError(
            fmt::format("the state of the expansions counts {} numbers, expected at most {}", n, most));
    return static_cast<std::size_t>(n);
}

namespace {

/// A recentring this part of its interval early still counts, for rounding.
constexpr double rounding = 1e-7;

std::string name_of(const Basis& basis)
{
    return fmt::format("{} with n_max {}, l_max {}, scale radius {}",
                       basis.family == Family::hernquist_ostriker ? "hernquist_ostriker" : "clutton_brock",
                       basis.n_max, basis.l_max, basis.scale_radius);
}

/// Scale radii that went through a change of units are equal up to rounding.
bool alike(const Basis& a, const Basis& b)
{
    return a.family == b.family && a.n_max == b.n_max && a.l_max == b.l_max &&
           std::abs(a.scale_radius / b.scale_radius - 1) < 1e-9;
}

}  // namespace

ComponentField::ComponentField(int component, const FieldConfig& config, Precision precision)
    : component_(component), config_(config), expansion_(config.basis, precision, config.symmetry)
{
    expect_sound(config);
}

void ComponentField::expect_sound(const FieldConfig& config) const
{
    const auto refuse = [&](const std::string& what) {
        throw ConfigError(fmt::format("the expansion of component {}: {}", component_, what));
    };
    const bool live = config.mode == Mode::live;
    if (config.mode == Mode::playback && !config.series)
        refuse("playback needs a file of coefficients; mode live makes them of the particles");
    if (live && config.series)
        refuse("a file of coefficients is given, but mode live makes its own; choose frozen or playback");
    if (config.series && config.series->moments.empty())
        refuse(fmt::format("{} holds no moment", config.series_name));
    if (config.series && !alike(config.series->basis, config.basis))
        refuse(fmt::format("{} is for the basis {}, expected {}", config.series_name,
                           name_of(config.series->basis), name_of(config.basis)));
    if (config.centre && config.mode == Mode::playback)
        refuse("a centre is given, but playback brings its own");
    if (config.centre && !std::isfinite(dot(*config.centre, *config.centre)))
        refuse("its centre is not finite");
    if (!(config.recenter_every >= 0))
        refuse(fmt::format("recenter_every is {}, expected a time of at least 0", config.recenter_every));
    if (config.recenter_every > 0 && !live)
        refuse("only a live expansion can be recentred; set recenter_every to 0");
    check_smoothing(config.smoothing, config.basis, fmt::format("the expansion of component {}", component_));
    if (config.smoothing.samples > 0 && config.series)
        refuse("coefficients of a file are not smoothed; set smoothing.samples to 0");
}

void ComponentField::start(Exec exec, const ConstParticlesView& particles, const Membership& membership,
                           double time)
{
    membership_ = membership;
    n_particles_ = particles.n;
    membership_.component = component_;
    const std::size_t size = config_.basis.size();
    coefficients_.require(exec.backend, size);
    partial_.require(exec.backend, size);
    if (config_.smoothing.samples > 0)
        samples_.require(exec.backend, size * static_cast<std::size_t>(config_.smoothing.samples));
    if (config_.recenter_every > 0 && config_.recenter_on == Recentring::most_bound)
        potential_.require(exec.backend, particles.n);
    if (config_.series) {
        play_back(config_.mode == Mode::frozen ? config_.series->moments.front().time : time, centre_,
                  coefficients_);
        if (config_.centre) centre_ = *config_.centre;
        return;
    }
    if (membership_.range.size() == 0)
        throw ConfigError(fmt::format("component {} has no particles to expand", component_));
    if (!(membership_.mass > 0))
        throw ConfigError(
            fmt::format("component {} has {} particles but no mass to expand; give it a mass, or "
                        "coefficients from a file (mode frozen)",
                        component_, membership_.range.size()));
    centre_ = config_.centre ? *config_.centre : densest_point(exec, particles, membership_, sphere_scratch_);
    next_recentring_ = time + config_.recenter_every;
    if (config_.mode == Mode::frozen) expand(exec, particles, membership_.among({}), coefficients_);
}

void ComponentField::make_present(Exec exec, const ConstParticlesView& particles, double time)
{
    if (config_.mode == Mode::playback) play_back(time, centre_, coefficients_);
    if (config_.mode == Mode::live) expand(exec, particles, membership_.among({}), coefficients_);
}

IndexRange ComponentField::run_of(Backend where, Slice slice) const
{
    const IndexRange all = membership_.range, run = expansion_.members_of(where, all.size(), slice);
    return {all.begin + run.begin, all.begin + run.end};
}

void ComponentField::make_present_by_runs(Exec exec, const ConstParticlesView& particles, IndexRange own,
                                          const SharedPieces& shared, double time)
{
    if (config_.mode == Mode::playback) play_back(time, centre_, coefficients_);
    if (config_.mode != Mode::live) return;
    const Members members{own, -1, membership_.mass_unit, &shared, membership_.range.size()};
    expand(exec, particles, members, coefficients_);
}

bool ComponentField::recentring_is_due(double time) const
{
    const double every = config_.recenter_every;
    return config_.mode == Mode::live && every > 0 && time >= next_recentring_ - rounding * every;
}

void ComponentField::recentre(Exec exec, const ConstParticlesView& particles, double time)
{
    while (recentring_is_due(time)) next_recentring_ += config_.recenter_every;
    centre_ = found_centre(exec, particles);
    expand(exec, particles, membership_.among({}), coefficients_);
}

double ComponentField::update(Exec exec, const ConstParticlesView& particles, double time)
{
    make_present(exec, particles, time);
    if (!recentring_is_due(time)) return 0;
    const double before = energy_of_all(exec, particles);
    recentre(exec, particles, time);
    return energy_of_all(exec, particles) - before;
}

bool ComponentField::takes_part(IndexRange sources) const
{
    const bool all = sources.begin == 0 && sources.end >= n_particles_;
    return all || membership_.among(sources).range.size() > 0;
}

FieldSource ComponentField::partial(Exec exec, const ConstParticlesView& particles, IndexRange sources,
                                    double time)
{
    if (config_.mode == Mode::frozen) return source();
    FieldSource result{centre_, &partial_};
    if (config_.mode == Mode::playback)
        play_back(time, result.centre, partial_);
    else
        expand(exec, particles, membership_.among(sources), partial_);
    return result;
}

FieldSource ComponentField::none(Exec exec, const ConstParticlesView& particles)
{
    expansion_.expand(exec, particles, {{0, 0}, -1}, centre_, partial_);
    return {centre_, &partial_};
}

/// From the energy identity: sum m phi = -(1/a) A . B with B the coefficients of all particles in this basis.
double ComponentField::energy_of_all(Exec exec, const ConstParticlesView& particles)
{
    expansion_.expand(exec, particles, {}, centre_, partial_);
    const std::vector<double> field = coefficients_.to_vector(), all = partial_.to_vector();
    double sum = 0;
    for (std::size_t k = 0; k < config_.basis.size(); ++k) sum += field[k] * all[k];
    return -sum / (2 * config_.basis.scale_radius);
}

Coefficients ComponentField::coefficients(double time) const
{
    return {time, centre_, coefficients_.to_vector(), variances_};
}

void ComponentField::append_state(std::vector<double>& state) const
{
    const std::vector<double> values = coefficients_.to_vector();
    for (const double number : {centre_.x, centre_.y, centre_.z, next_recentring_}) state.push_back(number);
    for (const auto* list : {&values, &variances_}) {
        state.push_back(static_cast<double>(list->size()));
        state.insert(state.end(), list->begin(), list->end());
    }
}

void ComponentField::restore_state(StateNumbers& from)
{
    const auto numbers = from.take(4);
    centre_ = {numbers[0], numbers[1], numbers[2]};
    next_recentring_ = numbers[3];
    const std::size_t size = coefficients_.size();
    if (const std::size_t n = from.count(size); n != size)
        throw IoError(
            fmt::format("the state of component {} has {} coefficients, expected {}", component_, n, size));
    copy_elements(coefficients_.data(), coefficients_.where(), from.take(size).data(), Backend::cpu, size);
    const auto variances = from.take(from.count(size));
    variances_.assign(variances.begin(), variances.end());
}

std::size_t ComponentField::scratch_bytes(Backend where, std::size_t n) const
{
    const std::size_t sets = 2 + static_cast<std::size_t>(config_.smoothing.samples);
    const bool potential = config_.recenter_every > 0 && config_.recenter_on == Recentring::most_bound;
    const bool sphere = !config_.series && (!config_.centre || (config_.recenter_every > 0 && !potential));
    return expansion_.scratch_bytes(where) +
           (sets * config_.basis.size() + (potential ? n : 0)) * sizeof(double) +
           (sphere ? densest_point_bytes(where, n) : 0);
}

void ComponentField::expand(Exec exec, const ConstParticlesView& particles, const Members& members,
                            Buffer<double>& to)
{
    const int samples = config_.smoothing.samples;
    if (samples == 0) return expansion_.expand(exec, particles, members, centre_, to);
    expansion_.expand(exec, particles, members, centre_, samples_, samples);
    host_samples_.resize(samples_.size());
    copy_elements(host_samples_.data(), Backend::cpu, samples_.data(), samples_.where(), samples_.size());
    smooth(config_.basis, config_.smoothing, host_samples_, smoothed_);
    copy_elements(to.data(), to.where(), smoothed_.values.data(), Backend::cpu, smoothed_.values.size());
    if (&to == &coefficients_) variances_ = smoothed_.variances;
}

void ComponentField::play_back(double time, Vec3& centre, Buffer<double>& to) const
{
    const Coefficients now = interpolate(*config_.series, time);
    centre = now.centre;
    copy_elements(to.data(), to.where(), now.values.data(), Backend::cpu, now.values.size());
}

Vec3 ComponentField::found_centre(Exec exec, const ConstParticlesView& particles)
{
    if (config_.recenter_on == Recentring::shrinking_sphere)
        return densest_point(exec, particles, membership_, sphere_scratch_);
    expansion_.field(exec, particles, membership_.range, centre_, coefficients_, {{}, potential_.data()});
    return most_bound_point(particles, membership_, potential_.data());
}

}  // namespace aureole::gravity::scf
