#include "sim/config/config_key.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "sim/io/atomic_file.hpp"

namespace aureole::run {
namespace {

// --- from text, one function for each type of value

void read(double& to, const Value& from, const ReadContext&) { to = parse_number(from.scalar()); }
void read(bool& to, const Value& from, const ReadContext&) { to = parse_flag(from.scalar()); }
void read(std::uint64_t& to, const Value& from, const ReadContext&) { to = parse_count(from.scalar()); }
void read(std::string& to, const Value& from, const ReadContext&) { to = from.scalar(); }

void read(std::uint32_t& to, const Value& from, const ReadContext&)
{
    const std::uint64_t value = parse_count(from.scalar());
    if (value > 0xffffffffu)
        throw ConfigError(fmt::format("found {}, expected at most {}", value, 0xffffffffu));
    to = static_cast<std::uint32_t>(value);
}

void read(int& to, const Value& from, const ReadContext&)
{
    const std::string& text = from.scalar();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc{} || end != text.data() + text.size())
        throw ConfigError(fmt::format("found '{}', expected a whole number", text));
}

void read(std::filesystem::path& to, const Value& from, const ReadContext& context)
{
    if (from.scalar().empty()) throw ConfigError("found an empty path");
    for (const char c : from.scalar())
        if (static_cast<unsigned char>(c) < ' ')
            throw ConfigError(fmt::format("found a path with a control character ({:#04x})",
                                          static_cast<unsigned char>(c)));
    to = (context.folder / from.scalar()).lexically_normal();
}

template <class T, std::size_t n>
void read(std::array<T, n>& to, const Value& from, const ReadContext& context)
{
    if (!from.sequence || from.items.size() != n)
        throw ConfigError(fmt::format("found {} value(s), expected a list of {}", from.items.size(), n));
    for (std::size_t k = 0; k < n; ++k) read(to[k], Value{{from.items[k]}}, context);
}

void read(Vec3& to, const Value& from, const ReadContext& context)
{
    std::array<double, 3> xyz{};
    read(xyz, from, context);
    to = {xyz[0], xyz[1], xyz[2]};
}

template <class T>
void read(std::vector<T>& to, const Value& from, const ReadContext& context)
{
    to.clear();
    for (const std::string& item : from.items) {
        T value{};
        read(value, Value{{item}}, context);
        to.push_back(value);
    }
}

template <class T>
void read(std::optional<T>& to, const Value& from, const ReadContext& context)
{
    T value{};
    read(value, from, context);
    to = value;
}

// --- to text

std::string text(double value) { return yaml_number(value); }
std::string text(bool value) { return value ? "true" : "false"; }
std::string text(std::uint64_t value) { return fmt::format("{}", value); }
std::string text(std::uint32_t value) { return fmt::format("{}", value); }
std::string text(int value) { return fmt::format("{}", value); }
std::string text(const std::string& value) { return yaml_text(value); }
std::string text(const std::filesystem::path& value) { return yaml_text(value.string()); }

template <class List>
std::string list_text(const List& list)
{
    std::string all;
    for (const auto& item : list) all += (all.empty() ? "" : ", ") + text(item);
    return "[" + all + "]";
}
template <class T>
std::string text(const std::vector<T>& list)
{
    return list_text(list);
}
template <class T, std::size_t n>
std::string text(const std::array<T, n>& list)
{
    return list_text(list);
}
std::string text(const Vec3& v) { return list_text(std::array{v.x, v.y, v.z}); }

// --- units: other types have none

template <class T>
void multiply(T&, double)
{
}
void multiply(double& value, double factor) { value *= factor; }
void multiply(Vec3& value, double factor) { value = factor * value; }
void multiply(std::array<double, 2>& values, double factor)
{
    for (double& value : values) value *= factor;
}
void multiply(std::vector<double>& values, double factor)
{
    for (double& value : values) value *= factor;
}
template <class T>
void multiply(std::optional<T>& value, double factor)
{
    if (value) multiply(*value, factor);
}

/// A time of the run: see read_value().
double read_time(const std::string& text, const ReadContext& context)
{
    const RunUnits units = context.units.value_or(RunUnits{});
    if (!context.universe && scale_factor_of_redshift(text))
        throw ConfigError(fmt::format("found '{}', a redshift, which needs cosmology.omega_m", text));
    if (!context.universe) return parse_time(text, units);
    if (const auto a = scale_factor_of_redshift(text)) return *a;
    try {
        return parse_number(text);
    } catch (const ConfigError&) {
        // then it has a unit
    }
    const double age = parse_cgs(text, Quantity::time) * cosmology::hubble_rate_per_s(units.hubble);
    return cosmology::Background(*context.universe).scale_factor_at_age(age);
}

double read_interval(const std::string& text, const ReadContext& context)
{
    if (!context.universe) return parse_time(text, context.units.value_or(RunUnits{}));
    return parse_number(text);
}

template <class T>
inline constexpr bool is_number = std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>;

}  // namespace

void read_value(const SettingPointer& to, Quantity quantity, const Value& from, const ReadContext& context)
{
    std::visit(
        [&]<class T>(T* value) {
            if constexpr (is_number<T>)
                if (quantity == Quantity::time || quantity == Quantity::interval) {
                    const auto read_one = quantity == Quantity::time ? read_time : read_interval;
                    *value = read_one(from.scalar(), context);
                    return;
                }
            if constexpr (std::is_same_v<T, std::vector<double>>)
                if (quantity == Quantity::time) {
                    *value = read_times(from, context);
                    return;
                }
            read(*value, from, context);
        },
        to);
}

std::optional<std::string> text_of(const SettingPointer& value)
{
    return std::visit(
        [](const auto* v) -> std::optional<std::string> {
            if constexpr (requires { v->has_value(); }) {
                if (!v->has_value()) return std::nullopt;
                return text(**v);
            } else {
                if constexpr (requires { v->empty(); })
                    if (v->empty()) return std::nullopt;
                return text(*v);
            }
        },
        value);
}

void multiply_value(const SettingPointer& value, double factor)
{
    std::visit([factor](auto* v) { multiply(*v, factor); }, value);
}

std::uint64_t parse_count(std::string_view text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
    // particle numbers are often written as 1e6 or 2.0e4
    double number = -1;
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc{} && stop == text.data() + text.size() && number >= 0 && number < 0x1p53 &&
        number == std::floor(number))
        return static_cast<std::uint64_t>(number);
    throw ConfigError(fmt::format("found '{}', expected a whole number of at least 0", text));
}

bool parse_flag(std::string_view text)
{
    if (text == "true") return true;
    if (text == "false") return false;
    throw ConfigError(fmt::format("found '{}', expected true or false", text));
}

std::string yaml_text(std::string_view text)
{
    const bool null = text == "null" || text == "Null" || text == "NULL";
    const bool plain = !text.empty() && !null &&
                       text.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789_./+^ -") == std::string_view::npos &&
                       text.front() != ' ' && text.back() != ' ' && text.front() != '-';
    if (plain) return std::string(text);
    std::string quoted = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < ' ' || byte == 0x7f) {
            quoted += fmt::format("\\x{:02x}", byte);
            continue;
        }
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

std::string yaml_number(double value)
{
    std::string text = fmt::format("{}", value);
    // readers of YAML 1.1 take 1e-3 for text: the point makes it a number
    const auto exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
    return text;
}

namespace {
/// Many more times than a run can write outputs; a device that is named by mistake may never end.
constexpr std::size_t most_file_bytes = std::size_t{1} << 24;

/// Adds the time that `text` says, which must come after those in `times`.
void add_time(std::vector<double>& times, const std::string& text, const ReadContext& context)
{
    const double time = read_time(text, context);
    if (!times.empty() && !(time > times.back()))
        throw ConfigError(fmt::format("found {} {} {}, expected each time once, in rising order", text,
                                      time == times.back() ? "again after" : "after", times.back()));
    times.push_back(time);
}

bool is_time(const std::string& text, const ReadContext& context)
{
    try {
        static_cast<void>(read_time(text, context));
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

std::string content_of(const std::filesystem::path& file)
{
    std::error_code ignored;
    std::ifstream in(io::without_waiting(file));
    if (!in || std::filesystem::is_directory(file, ignored))
        throw ConfigError(fmt::format(
            "found {}, expected a list of times, or a file with a time in each line that can be read",
            file.string()));
    std::string text(most_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > most_file_bytes)
        throw ConfigError(fmt::format("{}: found more than {} bytes, expected a list of times", file.string(),
                                      most_file_bytes));
    return text;
}

std::vector<double> read_file(const std::filesystem::path& file, const ReadContext& context)
{
    std::vector<double> times;
    std::istringstream lines(content_of(file));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        try {
            add_time(times, line, context);
        } catch (const ConfigError& error) {
            throw ConfigError(fmt::format("{}:{}: {}", file.string(), number, error.what()));
        }
    }
    if (times.empty())
        throw ConfigError(fmt::format("{}: found no time, expected one in each line", file.string()));
    return times;
}

}  // namespace

std::vector<double> read_times(const Value& from, const ReadContext& context)
{
    if (!from.sequence && !is_time(from.scalar(), context))
        return read_file((context.folder / from.scalar()).lexically_normal(), context);
    std::vector<double> times;
    for (const std::string& item : from.items) add_time(times, item, context);
    return times;
}

}  // namespace aureole::run
