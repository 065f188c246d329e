// Coefficients as text: `# key: value` lines (name, basis, n_max, l_max, scale, G, units), then for each
// moment
// `# time:` and `# centre:` and the rows `n l m S T`, with two variances behind when they are known. Rows
// come in any order; every (n, l, m) must be there once.
#include "sim/io/fields/coefficient_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"
#include "sim/io/utf8.hpp"

namespace aureole::io {
namespace {

struct Row {
    int n, l, m;
    std::complex<double> value, variance;
    bool with_variance;
    std::uint64_t line;
};

struct TextMoment {
    double time = 0;
    Vec3 centre;
    std::vector<Row> rows;
};

class CoefficientReader {
public:
    explicit CoefficientReader(const std::filesystem::path& file)
        : name_(file.string()), stream_(open_text(file))
    {
    }

    CoefficientFile read()
    {
        for (std::string line; std::getline(stream_, line);) {
            ++line_;
            const std::string_view text = trimmed(line);
            if (text.starts_with('#'))
                header_line(text.substr(1));
            else if (const auto words = split_words(text); !words.empty())
                moment().rows.push_back(row(words));
        }
        if (stream_.bad()) throw IoError(fmt::format("{}: reading failed after line {}", name_, line_));
        if (!basis_seen_)
            throw IoError(
                fmt::format("{}: no line `# basis: hernquist-ostriker` or `# basis: clutton-brock`; "
                            "coefficients mean nothing without it",
                            name_));
        settle_orders();
        for (const TextMoment& from : moments_) content_.moments.push_back(arranged(from));
        expect_valid(content_, name_);
        return std::move(content_);
    }

private:
    [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const
    {
        throw IoError(fmt::format("{}, line {}: {}", name_, line, problem));
    }

    double finite(std::string_view word, const char* what) const
    {
        const auto value = number_in<double>(word);
        if (!value || !std::isfinite(*value))
            fail(line_, fmt::format("{}: found '{}', expected a finite number", what, word.substr(0, 40)));
        return *value;
    }
    int order(std::string_view word, const char* what) const
    {
        const auto value = number_in<int>(word);
        if (!value || *value < 0 || *value > largest_order)
            fail(line_, fmt::format("{}: found '{}', expected a whole number from 0 to {}", what,
                                    word.substr(0, 40), largest_order));
        return *value;
    }

    /// The moment that lines belong to; a header line behind rows begins the next.
    TextMoment& moment(bool header = false)
    {
        if (moments_.empty() || (header && !moments_.back().rows.empty())) moments_.emplace_back();
        return moments_.back();
    }

    void header_line(std::string_view text)
    {
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) return;
        const std::string_view key = trimmed(text.substr(0, colon)), value = trimmed(text.substr(colon + 1));
        if (key == "time") {
            moment(true).time = finite(value, "time");
        } else if (key == "centre") {
            const auto words = split_words(value);
            if (words.size() != 3) fail(line_, fmt::format("centre: found '{}', expected x y z", value));
            moment(true).centre = {finite(words[0], "centre"), finite(words[1], "centre"),
                                   finite(words[2], "centre")};
        } else if (key == "basis") {
            basis_seen_ = true;
            content_.basis = value;
            content_.eta = value == "clutton-brock" ? 0.5 : 1;
        } else if (key == "name") {
            content_.name = value;
        } else if (key == "scale") {
            content_.scale = finite(value, "scale");
        } else if (key == "G") {
            content_.gravitational_constant = finite(value, "G");
        } else if (key == "n_max") {
            n_max_ = order(value, "n_max");
        } else if (key == "l_max") {
            l_max_ = order(value, "l_max");
        } else if (key == "units") {
            read_units(value);
        }
    }

    void read_units(std::string_view value)
    {
        if (value == "nbody") return;
        const auto words = split_words(value);
        if (words.size() != 6 || words[1] != "cm" || words[3] != "g" || words[5] != "cm/s")
            fail(line_,
                 fmt::format("units: found '{}', expected nbody or LENGTH cm, MASS g, VELOCITY cm/s", value));
        content_.units = {finite(words[0], "units"), finite(words[2], "units"), finite(words[4], "units")};
    }

    Row row(const std::vector<std::string_view>& words) const
    {
        if (words.size() != 5 && words.size() != 7)
            fail(line_, fmt::format("found {} columns, expected n l m S T, or these and two variances",
                                    words.size()));
        Row result{order(words[0], "column 1 (n)"),
                   order(words[1], "column 2 (l)"),
                   order(words[2], "column 3 (m)"),
                   {},
                   {},
                   words.size() == 7,
                   line_};
        if (result.m > result.l) fail(line_, fmt::format("m = {} above l = {}", result.m, result.l));
        result.value = {finite(words[3], "column 4 (S)"), finite(words[4], "column 5 (T)")};
        if (result.with_variance)
            result.variance = {finite(words[5], "column 6 (variance of S)"),
                               finite(words[6], "column 7 (variance of T)")};
        return result;
    }

    /// Orders are those of the header, else those of the rows.
    void settle_orders()
    {
        int n = 0, l = 0;
        for (const TextMoment& from : moments_)
            for (const Row& row : from.rows) {
                n = std::max(n, row.n);
                l = std::max(l, row.l);
                if (row.n > n_max_.value_or(row.n) || row.l > l_max_.value_or(row.l))
                    fail(row.line, fmt::format("n = {}, l = {}, but the header says n_max = {}, l_max = {}",
                                               row.n, row.l, n_max_.value_or(row.n), l_max_.value_or(row.l)));
            }
        content_.n_max = n_max_.value_or(n);
        content_.l_max = l_max_.value_or(l);
    }

    CoefficientMoment arranged(const TextMoment& from) const
    {
        if (from.rows.size() != content_.size())
            throw IoError(fmt::format("{}: time {} has {} rows, expected {} for n_max = {}, l_max = {}",
                                      name_, from.time, from.rows.size(), content_.size(), content_.n_max,
                                      content_.l_max));
        const bool variances = std::ranges::all_of(from.rows, &Row::with_variance);
        CoefficientMoment moment{from.time, from.centre, {}, {}};
        moment.values.resize(content_.size());
        if (variances) moment.variances.resize(content_.size());
        std::vector<bool> seen(content_.size());
        for (const Row& row : from.rows) {
            const std::size_t at = content_.index(row.n, row.l, row.m);
            if (seen[at])
                fail(row.line, fmt::format("n = {}, l = {}, m = {} is given twice", row.n, row.l, row.m));
            seen[at] = true;
            moment.values[at] = row.value;
            if (variances) moment.variances[at] = row.variance;
        }
        return moment;
    }

    std::string name_;
    std::ifstream stream_;
    std::uint64_t line_ = 0;
    CoefficientFile content_;
    std::optional<int> n_max_, l_max_;
    bool basis_seen_ = false;
    std::vector<TextMoment> moments_;
};

std::string one_line(std::string text)
{
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' '; }, ' ');
    return valid_utf8(text);
}

std::string header_text(const CoefficientFile& c)
{
    std::string text = "# Coefficients S and T of Lowing et al. (2011); columns n l m S T\n";
    text += fmt::format("# name: {}\n# basis: {}\n# n_max: {}\n# l_max: {}\n# scale: {}\n# G: {}\n",
                        one_line(c.name), c.basis, c.n_max, c.l_max, c.scale, c.gravitational_constant);
    text += c.units ? fmt::format("# units: {} cm, {} g, {} cm/s\n", c.units->length_cm, c.units->mass_g,
                                  c.units->velocity_cm_per_s)
                    : "# units: nbody\n";
    for (const auto& [key, value] : c.provenance)
        text += fmt::format("# from {}: {}\n", one_line(key),
                            one_line(std::visit([](const auto& v) { return fmt::format("{}", v); }, value)));
    return text;
}

void write_moment(std::ostream& out, const CoefficientFile& c, const CoefficientMoment& moment)
{
    out << fmt::format("# time: {}\n# centre: {} {} {}\n", moment.time, moment.centre.x, moment.centre.y,
                       moment.centre.z);
    for (int l = 0; l <= c.l_max; ++l)
        for (int m = 0; m <= l; ++m)
            for (int n = 0; n <= c.n_max; ++n) {
                const std::size_t at = c.index(n, l, m);
                out << fmt::format("{} {} {} {} {}", n, l, m, moment.values[at].real(),
                                   moment.values[at].imag());
                if (!moment.variances.empty())
                    out << fmt::format(" {} {}", moment.variances[at].real(), moment.variances[at].imag());
                out << '\n';
            }
}

}  // namespace

void write_coefficient_text(const AtomicFile& target, const CoefficientFile& c)
{
    target.write([&c](std::ostream& out) {
        out << header_text(c);
        for (const CoefficientMoment& moment : c.moments) write_moment(out, c, moment);
    });
}

CoefficientFile read_coefficient_text(const std::filesystem::path& file)
{
    return CoefficientReader(file).read();
}

bool names_a_basis(const std::filesystem::path& file)
{
    std::ifstream stream = open_text(file);
    for (std::string line; std::getline(stream, line);) {
        const std::string_view text = trimmed(line);
        if (!text.starts_with('#')) return false;
        if (trimmed(text.substr(1)).starts_with("basis:")) return true;
    }
    return false;
}

}  // namespace aureole::io
