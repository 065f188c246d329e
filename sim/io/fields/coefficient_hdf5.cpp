// Coefficients in HDF5. Attribute names and the order of `coefficients` are EXP's; basis, a, eta,
// normalisation and G say what EXP leaves to its own basis files.
#include "sim/core/error.hpp"
#include "sim/io/fields/coefficient_file.hpp"

namespace aureole::io {
namespace {

constexpr std::string_view normalisation = "Lowing et al. (2011): S cos(m phi) + T sin(m phi)";

std::string moment_path(std::size_t k) { return fmt::format("/snapshots/{:08}", k); }

std::vector<UnitRow> unit_rows(const CoefficientFile& c)
{
    const double g = c.gravitational_constant;
    if (!c.units)
        return {{"length", "none", 1}, {"mass", "none", 1}, {"velocity", "none", 1}, {"G", "none", g}};
    return {{"length", "cm", c.units->length_cm},
            {"mass", "g", c.units->mass_g},
            {"velocity", "cm/s", c.units->velocity_cm_per_s},
            {"G", "none", g}};
}

/// Complex numbers as a dataset [row, n].
void write_rows(Hdf5File& out, const std::string& path, const CoefficientFile& c,
                std::span<const std::complex<double>> values)
{
    out.create_dataset(path, NumberType::c128, c.rows(), static_cast<std::uint64_t>(c.n_max + 1))
        .write_rows(0, values);
}

void write_moment(Hdf5File& out, std::size_t k, const CoefficientFile& c, const CoefficientMoment& moment)
{
    const std::string path = moment_path(k);
    out.create_group(path);
    out.write_attribute(path, "Time", moment.time);
    out.write_attribute(path, "Center", std::array{moment.centre.x, moment.centre.y, moment.centre.z});
    out.write_attribute(path, "Rotation",
                        std::array<std::array<double, 3>, 3>{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    write_rows(out, path + "/coefficients", c, moment.values);
    if (!moment.variances.empty()) write_rows(out, path + "/variances", c, moment.variances);
}

class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::filesystem::path& file)
        : file_(Hdf5File::open(file)), file_bytes_(std::filesystem::file_size(file))
    {
    }

    CoefficientFile read()
    {
        expect_text("geometry", "sphere");
        content_.basis = needed_text("basis");
        if (file_.has_attribute("/", "normalisation"))
            expect_text("normalisation", std::string(normalisation));
        content_.eta = file_.number("/", "eta");
        content_.l_max = order("lmax", 0);
        content_.n_max = order("nmax", 1) - 1;
        content_.scale = file_.number("/", "scale");
        if (file_.has_attribute("/", "a") && file_.number("/", "a") != content_.scale)
            fail("attributes scale and a of / are {} and {}, expected the same length", content_.scale,
                 file_.number("/", "a"));
        if (file_.has_attribute("/", "name")) content_.name = file_.text("/", "name");
        if (file_.has_attribute("/", "config")) content_.config = file_.text("/", "config");
        read_units();
        for (const std::string& key : file_.attribute_names("/Provenance"))
            if (file_.attribute_is_text("/Provenance", key))
                content_.provenance.emplace_back(key, file_.text("/Provenance", key));
            else if (file_.attribute_layout("/Provenance", key).integer)
                content_.provenance.emplace_back(key, whole_number(key));
            else
                content_.provenance.emplace_back(key, file_.number("/Provenance", key));
        read_moments();
        expect_valid(content_, file_.name());
        return std::move(content_);
    }

private:
    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) const
    {
        throw IoError(
            fmt::format("{}: {}", file_.name(), fmt::format(text, std::forward<Values>(values)...)));
    }

    std::string needed_text(const char* attribute) const
    {
        if (!file_.has_attribute("/", attribute))
            fail(
                "no attribute {}: not a coefficient file of a basis that is known here (hernquist-ostriker, "
                "clutton-brock)",
                attribute);
        return file_.text("/", attribute);
    }
    std::int64_t whole_number(const std::string& provenance) const
    {
        const auto found = file_.integers("/Provenance", provenance);
        if (found.size() != 1)
            fail("attribute {} of /Provenance has {} values, expected one", provenance, found.size());
        return found[0];
    }
    void expect_text(const char* attribute, const std::string& expected) const
    {
        if (const std::string found = needed_text(attribute); found != expected)
            fail("attribute {} of / is '{}', expected '{}'", attribute, found.substr(0, 60), expected);
    }

    int order(const char* attribute, int least) const
    {
        const auto found = file_.integers("/", attribute);
        if (found.size() != 1 || found[0] < least || found[0] > largest_order + least)
            fail("attribute {} of / is {}, expected one whole number from {} to {}", attribute,
                 found.empty() ? "empty" : fmt::format("{}", found[0]), least, largest_order + least);
        return static_cast<int>(found[0]);
    }

    void read_units()
    {
        const std::vector<UnitRow> rows = file_.unit_table("/Units");
        const auto value = [&](const char* name, const char* unit) -> std::optional<double> {
            for (const UnitRow& row : rows)
                if (row.name == name && row.unit == unit) return row.value;
            return std::nullopt;
        };
        const auto g = value("G", "none"), length = value("length", "cm"), mass = value("mass", "g"),
                   velocity = value("velocity", "cm/s");
        if (length && mass && velocity)
            content_.units = UnitSystem{*length, *mass, *velocity};
        else if (value("length", "none") != 1 || value("mass", "none") != 1 || value("velocity", "none") != 1)
            fail("/Units: expected length in cm, mass in g and velocity in cm/s, or 1 none for each");
        if (!g) fail("/Units: no row of G");
        content_.gravitational_constant = *g;
        if (file_.has_attribute("/", "G") && file_.number("/", "G") != *g)
            fail("attribute G of / is {}, but {} in /Units", file_.number("/", "G"), *g);
    }

    void read_moments()
    {
        const auto count = file_.values<std::uint64_t>("/count");
        const std::size_t found = file_.members("/snapshots").size();
        if (count.size() != 1 || count[0] != found)
            fail("/count is {}, but /snapshots has {} members", count.empty() ? 0 : count[0], found);
        // links may share their numbers: what they add up to is bounded before it is read
        if (found > deflate_expansion * file_bytes_ / (content_.size() * sizeof(std::complex<double>)))
            fail("/snapshots: {} moments of {} coefficients in {} bytes", found, content_.size(),
                 file_bytes_);
        for (std::size_t k = 0; k < found; ++k) content_.moments.push_back(moment(moment_path(k)));
    }

    CoefficientMoment moment(const std::string& path) const
    {
        if (!file_.has_group(path)) fail("{} is missing", path);
        CoefficientMoment result;
        result.time = file_.number(path, "Time");
        if (file_.has_attribute(path, "Center")) {
            const auto centre = file_.numbers(path, "Center");
            if (centre.size() != 3)
                fail("attribute Center of {} has {} values, expected 3", path, centre.size());
            result.centre = {centre[0], centre[1], centre[2]};
        }
        if (file_.has_attribute(path, "Rotation") &&
            file_.numbers(path, "Rotation") != std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1})
            fail("attribute Rotation of {} is not the identity; rotated expansions are not read", path);
        result.values = rows(path + "/coefficients");
        if (file_.has_dataset(path + "/variances")) result.variances = rows(path + "/variances");
        return result;
    }

    std::vector<std::complex<double>> rows(const std::string& path) const
    {
        const Hdf5Dataset set = file_.dataset(path);
        const std::uint64_t width = static_cast<std::uint64_t>(content_.n_max + 1);
        if (set.rows() != content_.rows() || set.width() != width)
            fail("{} is [{}, {}], expected [{}, {}] for lmax = {}, nmax = {}", path, set.rows(), set.width(),
                 content_.rows(), width, content_.l_max, width);
        return file_.values<std::complex<double>>(path);
    }

    Hdf5File file_;
    std::uint64_t file_bytes_;
    CoefficientFile content_;
};

}  // namespace

void write_coefficient_hdf5(const AtomicFile& target, const CoefficientFile& c)
{
    Hdf5File out = Hdf5File::create(target.temporary(), target.target());
    out.write_attribute("/", "CoefficientOutputVersion", std::string_view("1.0"));
    out.write_attribute("/", "geometry", std::string_view("sphere"));
    out.write_attribute("/", "name", std::string_view(c.name));
    out.write_attribute("/", "config", std::string_view(c.config));
    out.write_attribute("/", "forceID", std::string_view("aureole-scf"));
    out.write_attribute("/", "lmax", std::int32_t{c.l_max});
    out.write_attribute("/", "nmax", std::int32_t{c.n_max + 1});
    out.write_attribute("/", "scale", c.scale);
    out.write_attribute("/", "basis", std::string_view(c.basis));
    out.write_attribute("/", "a", c.scale);
    out.write_attribute("/", "eta", c.eta);
    out.write_attribute("/", "normalisation", normalisation);
    out.write_attribute("/", "G", c.gravitational_constant);
    out.write_unit_table("/Units", unit_rows(c));
    out.write_scalar("/count", static_cast<std::uint32_t>(c.moments.size()));
    out.create_group("/Provenance");
    out.write_attributes("/Provenance", c.provenance);
    out.create_group("/snapshots");
    for (std::size_t k = 0; k < c.moments.size(); ++k) write_moment(out, k, c, c.moments[k]);
    out.close();
}

void append_coefficient_hdf5(const std::filesystem::path& file, const std::filesystem::path& shown,
                             const CoefficientFile& content, std::size_t count,
                             std::span<const CoefficientMoment> moments)
{
    Hdf5File out = Hdf5File::extend(file, shown);
    for (std::size_t k = 0; k < moments.size(); ++k) write_moment(out, count + k, content, moments[k]);
    const auto total = static_cast<std::uint32_t>(count + moments.size());
    out.dataset("/count").write_rows(0, std::span<const std::uint32_t>(&total, 1));
    out.close();
}

CoefficientFile read_coefficient_hdf5(const std::filesystem::path& file) { return Hdf5Reader(file).read(); }

}  // namespace aureole::io
