#include "gravity/scf/scf_config.hpp"

#include "gravity/scf/basis.hpp"

namespace aureole::gravity::scf {
namespace {

template <class T>
void replace(std::optional<T>& value, const std::optional<T>& by)
{
    if (by) value = by;
}

Rule<int> order()
{
    return {[](int n) { return n >= 0 && n <= largest_n; }, fmt::format("an order from 0 to {}", largest_n)};
}

}  // namespace

ExpansionKeys ExpansionKeys::defaults()
{
    ExpansionKeys keys;
    const FieldConfig field;
    keys.n_max = field.basis.n_max;
    keys.l_max = field.basis.l_max;
    keys.scale_radius = field.basis.scale_radius;
    keys.family = field.basis.family;
    keys.even_l = keys.even_m = keys.axisymmetric = keys.spherical = false;
    keys.mode = field.mode;
    keys.recenter_every = field.recenter_every;
    keys.recenter_on = field.recenter_on;
    keys.smoothing_samples = field.smoothing.samples;
    keys.smoothing_snr = field.smoothing.snr;
    keys.smoothing_power = field.smoothing.power;
    return keys;
}

FieldConfig field_config(const ExpansionKeys& keys)
{
    FieldConfig field;
    const ExpansionKeys defaults = ExpansionKeys::defaults();
    const auto value = [&](auto member) { return (keys.*member).value_or(*(defaults.*member)); };
    using E = ExpansionKeys;
    field.basis = {value(&E::family), value(&E::n_max), value(&E::l_max), value(&E::scale_radius)};
    field.symmetry = {value(&E::even_l), value(&E::even_m), value(&E::axisymmetric), value(&E::spherical)};
    field.mode = value(&E::mode);
    field.centre = keys.centre;
    field.recenter_every = value(&E::recenter_every);
    field.recenter_on = value(&E::recenter_on);
    field.smoothing = {value(&E::smoothing_samples), value(&E::smoothing_snr), value(&E::smoothing_power)};
    return field;
}

ExpansionKeys merged(const ExpansionKeys& common, const ExpansionKeys& own)
{
    ExpansionKeys keys = common;
    if (own.mode && own.mode != keys.mode) {
        keys.coefficients.clear();
        keys.recenter_every = 0;
        if (own.mode != Mode::live) keys.smoothing_samples = 0;
        if (own.mode == Mode::playback) keys.centre.reset();
    }
    const auto take = [&](auto... members) { (replace(keys.*members, own.*members), ...); };
    using E = ExpansionKeys;
    take(&E::n_max, &E::l_max, &E::scale_radius, &E::family, &E::even_l, &E::even_m, &E::axisymmetric,
         &E::spherical, &E::mode, &E::centre, &E::recenter_every, &E::recenter_on, &E::smoothing_samples,
         &E::smoothing_snr, &E::smoothing_power);
    if (!own.coefficients.empty()) keys.coefficients = own.coefficients;
    return keys;
}

std::vector<Setting<ExpansionKeys>> expansion_key_settings()
{
    using E = ExpansionKeys;
    constexpr auto number = Quantity::number;
    return {
        setting("n_max", number, &E::n_max, "largest radial order", order()),
        setting("l_max", number, &E::l_max, "largest angular order", order()),
        setting("scale_radius", Quantity::length, &E::scale_radius, "of the basis", positive()),
        choice("family", &E::family,
               {{"hernquist_ostriker", Family::hernquist_ostriker}, {"clutton_brock", Family::clutton_brock}},
               "radial functions: those of a cusp, or of a core (Plummer)"),
        setting("even_l", number, &E::even_l, "only even l: the same field at x and -x"),
        setting("even_m", number, &E::even_m, "only even m"),
        setting("axisymmetric", number, &E::axisymmetric, "only m = 0"),
        setting("spherical", number, &E::spherical, "only l = 0"),
        choice("mode", &E::mode,
               {{"live", Mode::live}, {"frozen", Mode::frozen}, {"playback", Mode::playback}},
               "live: the field of the present particles; frozen: that of the first state, or the first in "
               "the file; "
               "playback: that of the file, over time"),
        setting("coefficients", number, &E::coefficients, "file, for modes frozen and playback"),
        setting("centre", Quantity::length, &E::centre,
                "of the expansion; that of the file, else the densest point of the first state (shrinking "
                "sphere)"),
        setting("recenter_every", Quantity::time, &E::recenter_every,
                "interval at which a live expansion moves its centre; 0: never", not_negative()),
        choice("recenter_on", &E::recenter_on,
               {{"shrinking_sphere", Recentring::shrinking_sphere}, {"most_bound", Recentring::most_bound}},
               "densest point, or particle of least potential"),
        setting("smoothing.samples", number, &E::smoothing_samples,
                "number of sub-samples whose scatter measures the noise, above n_max + 1; 0: no smoothing",
                {[](int n) { return n >= 0 && n <= 65536; }, "a number from 0 to 65536"}),
        setting("smoothing.snr", number, &E::smoothing_snr,
                "in the factor 1 / (1 + (snr variance / value^2)^power) of each coefficient", not_negative()),
        setting("smoothing.power", number, &E::smoothing_power, "in the same factor", positive()),
    };
}

PluginSettings settings()
{
    std::vector<Setting<Keys>> result;
    append_settings(result, "", expansion_key_settings(), &Keys::expansion);
    result.push_back(setting("subtract_mean_acceleration", Quantity::number,
                             &Keys::subtract_mean_acceleration,
                             "keeps the total momentum, which an expansion does not conserve"));
    return plugin_settings(result);
}

}  // namespace aureole::gravity::scf
