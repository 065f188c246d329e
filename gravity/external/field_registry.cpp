// The built-in fields: their settings, and the potentials that these make.
#include "gravity/external/field_registry.hpp"

#include <cmath>
#include <numbers>

#include "gravity/external/friction.hpp"
#include "gravity/external/potential_field.hpp"
#include "sim/core/error.hpp"

namespace aureole::gravity {
namespace {

constexpr auto number = Quantity::number;
constexpr auto length = Quantity::length;
constexpr auto mass = Quantity::mass;
constexpr auto velocity = Quantity::velocity;
constexpr auto velocity2 = Quantity::specific_energy;

using Given = std::optional<double>;

/// The value of a key that has no default.
double needed(const Given& value, const std::string& key)
{
    if (!value) throw ConfigError(fmt::format("expected the key {}, which has no default", key));
    return *value;
}

struct SphereSettings {
    Given mass, scale_radius;
};
struct LogarithmicSettings {
    Given velocity;
    double core_radius = 0, axis_ratio = 1, flattening = 1;
};
struct MiyamotoNagaiSettings {
    Given mass, scale_length, scale_height;
};
enum class Profile { exponential, sech2 };
enum class DiskTable { best, positive };
struct ExponentialDiskSettings {
    Given mass, scale_length, scale_height;
    std::optional<Profile> profile;
    DiskTable table = DiskTable::best;
};
struct LongMuraliSettings {
    Given mass, half_length, y_scale;
    double z_scale = 0;
};
struct DehnenBarSettings {
    Given strength, radius;
};
struct SpiralArmsSettings {
    Given density, pitch, reference_radius, scale_length, scale_height;
    int arms = 2, harmonics = 3;
    bool trailing = true;
};
struct UniformSettings {
    std::optional<Vec3> acceleration;
};
struct TidalSettings {
    std::vector<double> tensor;
};

template <class P, class Settings, class Make>
FieldPlugin plugin(std::string name, std::string documentation, std::vector<Setting<Settings>> settings,
                   Make make)
{
    const auto factory = [make, name](const FieldConfig& config) -> std::unique_ptr<ExternalField> {
        try {
            const P potential = make(config.own.get<Settings>());
            return std::make_unique<PotentialField>(potential, config.placement);
        } catch (const ConfigError& error) {
            throw ConfigError(fmt::format("field {}: {}", name, error.what()));
        }
    };
    return {std::move(name), std::move(documentation), factory, plugin_settings<Settings>(settings)};
}

template <class P>
FieldPlugin sphere(std::string name, std::string documentation, const std::string& of_mass,
                   const std::string& of_radius)
{
    using S = SphereSettings;
    return plugin<P, S>(std::move(name), std::move(documentation),
                        {setting("mass", mass, &S::mass, of_mass, positive()),
                         setting("scale_radius", length, &S::scale_radius, of_radius, positive())},
                        [](const S& s) {
                            return P{needed(s.mass, "mass"), needed(s.scale_radius, "scale_radius")};
                        });
}

FieldPlugin logarithmic()
{
    using S = LogarithmicSettings;
    return plugin<LogarithmicPotential, S>(
        "logarithmic", "halo with a flat rotation curve (Binney & Tremaine 2008, eq. 2.71)",
        {setting("velocity", velocity, &S::velocity, "circular velocity far outside", positive()),
         setting("core_radius", length, &S::core_radius, "R_c", not_negative()),
         setting("axis_ratio", number, &S::axis_ratio, "of the potential, y to x", positive()),
         setting("flattening", number, &S::flattening,
                 "of the potential, z to x; below 0.707 the density on the z axis is negative", positive())},
        [](const S& s) {
            return LogarithmicPotential{needed(s.velocity, "velocity"), s.core_radius, s.axis_ratio,
                                        s.flattening};
        });
}

FieldPlugin miyamoto_nagai()
{
    using S = MiyamotoNagaiSettings;
    return plugin<MiyamotoNagaiPotential, S>(
        "miyamoto_nagai", "disk (Miyamoto & Nagai 1975)",
        {setting("mass", mass, &S::mass, "total", positive()),
         setting("scale_length", length, &S::scale_length, "a", not_negative()),
         setting("scale_height", length, &S::scale_height, "b", not_negative())},
        [](const S& s) {
            return MiyamotoNagaiPotential{needed(s.mass, "mass"), needed(s.scale_length, "scale_length"),
                                          needed(s.scale_height, "scale_height")};
        });
}

double polynomial(const double (&c)[5], double x)
{
    return (((c[0] * x + c[1]) * x + c[2]) * x + c[3]) * x + c[4];
}

/// Tables 1 and 2 of Smith et al. (2015): masses in units of the disk's and lengths a in units of its scale
/// length, as polynomials of b / R_d.
ExponentialDiskPotential three_disks(double disk_mass, double scale_length, double b, DiskTable table)
{
    static constexpr double masses[2][3][5] = {{{-.0090, .0640, -.1653, .1164, 1.9487},
                                                {.0173, -.0903, .0877, .2029, -1.3077},
                                                {-.0051, .0287, -.0361, -.0544, .2242}},
                                               {{.0036, -.0330, .1117, -.1335, .1749},
                                                {-.0131, .1090, -.3035, .2921, -5.7976},
                                                {-.0048, .0454, -.1425, .1012, 6.7120}}};
    static constexpr double lengths[2][3][5] = {{{-.0358, .2610, -.6987, -.1193, 2.0074},
                                                 {-.0830, .4992, -.7967, -1.2966, 4.4441},
                                                 {-.0247, .1718, -.4124, -.5944, .7333}},
                                                {{-.0158, .0993, -.2070, -.7089, .6445},
                                                 {-.0319, .1514, -.1279, -.9325, 2.6836},
                                                 {-.0326, .1816, -.2943, -.6329, 2.3193}}};
    const int t = table == DiskTable::best ? 0 : 1;
    ExponentialDiskPotential result{};
    for (int k = 0; k < 3; ++k)
        result.disks[k] = {disk_mass * polynomial(masses[t][k], b / scale_length),
                           scale_length * polynomial(lengths[t][k], b / scale_length), b};
    return result;
}

FieldPlugin exponential_disk()
{
    using S = ExponentialDiskSettings;
    return plugin<ExponentialDiskPotential, S>(
        "exponential_disk", "exponential disk as three of Miyamoto & Nagai (Smith et al. 2015)",
        {setting("mass", mass, &S::mass,
                 "of the exponential disk; beyond 10 scale lengths the three have another, at a height of "
                 "0.2: 0.926 (best), 1.136 (positive)",
                 positive()),
         setting("scale_length", length, &S::scale_length, "R_d of exp(-R / R_d)", positive()),
         setting("scale_height", length, &S::scale_height, "h of exp(-|z| / h) or sech^2(z / h)",
                 not_negative()),
         choice("profile", &S::profile, {{"exponential", Profile::exponential}, {"sech2", Profile::sech2}},
                "of the height; has to be named, where scale_height is above 0"),
         choice("table", &S::table, {{"best", DiskTable::best}, {"positive", DiskTable::positive}},
                "of the fit: the best one, or one whose density is positive everywhere")},
        [](const S& s) {
            const double r = needed(s.scale_length, "scale_length"),
                         h = needed(s.scale_height, "scale_height");
            if (h > 0 && !s.profile)
                throw ConfigError(
                    "expected the key profile, exponential or sech2: scale_height means another in each");
            const double x = h / r;
            const double b = s.profile == Profile::sech2 ? ((-.033 * x + .262) * x + .659) * x
                                                         : ((-.269 * x + 1.080) * x + 1.092) * x;
            const double largest = s.table == DiskTable::best ? 3 : 1.35;
            if (!(b < largest))
                throw ConfigError(fmt::format(
                    "scale_height / scale_length is {}, which gives b / R_d = {:.4g}; the fit ends at {}", x,
                    b, largest));
            return three_disks(needed(s.mass, "mass"), r, b * r, s.table);
        });
}

FieldPlugin long_murali()
{
    using S = LongMuraliSettings;
    return plugin<LongMuraliPotential, S>(
        "long_murali_bar", "bar, a needle that is thickened (Long & Murali 1992)",
        {setting("mass", mass, &S::mass, "total", positive()),
         setting("half_length", length, &S::half_length, "a, along x", positive()),
         setting("y_scale", length, &S::y_scale, "b", positive()),
         setting("z_scale", length, &S::z_scale, "c", not_negative())},
        [](const S& s) {
            return LongMuraliPotential{needed(s.mass, "mass"), needed(s.half_length, "half_length"),
                                       needed(s.y_scale, "y_scale"), s.z_scale};
        });
}

FieldPlugin dehnen_bar()
{
    using S = DehnenBarSettings;
    return plugin<DehnenBarPotential, S>(
        "dehnen_bar", "quadrupole of a bar (Dehnen 2000)",
        {setting("strength", velocity2, &S::strength, "A of A cos 2 phi (R / r)^2 U(r)"),
         setting("radius", length, &S::radius, "R_b", positive())},
        [](const S& s) {
            return DehnenBarPotential{needed(s.strength, "strength"), needed(s.radius, "radius")};
        });
}

FieldPlugin spiral_arms()
{
    using S = SpiralArmsSettings;
    return plugin<SpiralArmsPotential, S>(
        "spiral_arms", "logarithmic spiral (Cox & Gomez 2002)",
        {setting("density", Quantity::mass_density, &S::density, "amplitude at reference_radius, rho_0"),
         setting("pitch_angle", number, &S::pitch, "degrees",
                 {[](double a) { return a > 0 && a < 90; }, "degrees above 0 and below 90"}),
         setting("reference_radius", length, &S::reference_radius, "r_0, where an arm crosses the x axis",
                 positive()),
         setting("scale_length", length, &S::scale_length, "R_s of exp(-R / R_s)", positive()),
         setting("scale_height", length, &S::scale_height, "H", positive()),
         setting("arms", number, &S::arms, "how many",
                 {[](int n) { return n >= 1 && n <= 100; }, "from 1 to 100"}),
         setting("harmonics", number, &S::harmonics,
                 "1: a sinusoid; 3: arms that are narrower than what lies between them",
                 {[](int n) { return n == 1 || n == 3; }, "1 or 3"}),
         setting("trailing", number, &S::trailing, "for rotation towards +phi; false: leading")},
        [](const S& s) {
            return SpiralArmsPotential{static_cast<double>(s.arms),
                                       needed(s.pitch, "pitch_angle") * std::numbers::pi / 180,
                                       needed(s.reference_radius, "reference_radius"),
                                       needed(s.scale_length, "scale_length"),
                                       needed(s.scale_height, "scale_height"),
                                       needed(s.density, "density"),
                                       s.trailing ? 1.0 : -1.0,
                                       s.harmonics};
        });
}

FieldPlugin uniform()
{
    using S = UniformSettings;
    return plugin<TidalPotential, S>(
        "uniform", "the same acceleration everywhere",
        {setting("acceleration", velocity2, &S::acceleration, "x, y, z, for each unit of length")},
        [](const S& s) {
            if (!s.acceleration) throw ConfigError("expected the key acceleration, which has no default");
            return TidalPotential{*s.acceleration, 0, 0, 0, 0, 0, 0};
        });
}

FieldPlugin tidal()
{
    using S = TidalSettings;
    return plugin<TidalPotential, S>(
        "tidal", "a_i = T_ij x_j",
        {setting("tensor", velocity2, &S::tensor,
                 "xx, yy, zz, xy, xz, yz of T, for each unit of length squared",
                 {[](const std::vector<double>& t) { return t.size() == 6; }, "six numbers"})},
        [](const S& s) {
            const std::vector<double>& t = s.tensor;
            if (t.size() != 6) throw ConfigError("expected the key tensor, which has no default");
            return TidalPotential{{}, t[0], t[1], t[2], t[3], t[4], t[5]};
        });
}

}  // namespace

Registry<FieldPlugin>& fields()
{
    static Registry<FieldPlugin> registry(
        "external field",
        {sphere<NfwPotential>("nfw", "halo (Navarro, Frenk & White 1996), which has no end",
                              "M_s = 4 pi rho_0 r_s^3", "r_s"),
         sphere<HernquistPotential>("hernquist", "sphere with a cusp (Hernquist 1990)", "total", "a"),
         sphere<PlummerPotential>("plummer", "sphere with a core (Plummer 1911)", "total", "b"),
         sphere<IsochronePotential>("isochrone", "sphere with a core (Henon 1959)", "total", "b"),
         logarithmic(), miyamoto_nagai(), exponential_disk(), long_murali(), dehnen_bar(), spiral_arms(),
         uniform(), tidal()});
    return registry;
}

std::vector<Setting<FieldConfig>> placement_settings()
{
    using P = FieldPlacement;
    std::vector<Setting<P>> own{
        setting("centre", length, &P::centre, "of the field at time 0"),
        setting("velocity", velocity, &P::velocity, "of the centre, constant"),
        setting("path.times", Quantity::time, &P::path_times,
                "instead of centre and velocity: times at which the centre is at path.positions; a cubic "
                "spline between them, a straight line before and after"),
        setting("path.positions", length, &P::path_positions, "x, y, z at each time"),
        setting("angle", number, &P::angle, "of the field's x axis at time 0, about z, degrees"),
        setting("pattern_speed", velocity, &P::pattern_speed,
                "radians per time at which the field turns about z, as a velocity for each unit of length"),
        setting("growth.start", Quantity::time, &P::growth_start,
                "the amplitude begins to change; without it, it is 1 at all times"),
        setting("growth.end", Quantity::time, &P::growth_end,
                "the change ends; between both a polynomial with two continuous derivatives (Dehnen 2000)"),
        setting("growth.from", number, &P::growth_from, "amplitude before"),
        setting("growth.to", number, &P::growth_to, "amplitude after")};
    own[3].row_length = 3;
    std::vector<Setting<FieldConfig>> result;
    append_settings(
        result, "", own, [](auto& config) -> auto& { return config.placement; });
    append_settings(
        result, "friction.", friction_settings(),
        [](auto& config) -> auto& { return config.own.template get<FrictionConfig>(); });
    return result;
}

std::vector<Setting<FieldConfig>> field_settings(const std::string& name)
{
    const FieldPlugin& field = fields().at(name);
    std::vector<Setting<FieldConfig>> result;
    append_settings(
        result, field.name + ".", field.settings, [](auto& config) -> auto& { return config.own; });
    const auto placement = placement_settings();
    result.insert(result.end(), placement.begin(), placement.end());
    return result;
}

std::vector<std::unique_ptr<ExternalField>> make_field(const FieldConfig& config)
{
    std::vector<std::unique_ptr<ExternalField>> made;
    made.push_back(fields().at(config.name).make(config));
    const FrictionConfig& friction = config.own.get<FrictionConfig>();
    if (!friction.given()) return made;
    try {
        const auto* host = dynamic_cast<const PotentialField*>(made.front().get());
        if (!host) throw ConfigError("friction needs a field with a potential");
        made.push_back(std::make_unique<Friction>(host->potential(), config.placement, friction));
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("field {}: {}", config.name, error.what()));
    }
    return made;
}

}  // namespace aureole::gravity
