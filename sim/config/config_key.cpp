#include "sim/config/config_key.hpp"

#include <charconv>

namespace aureole::run {

std::uint64_t parse_count(std::string_view text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
    // 1e6 and 2.0e4 are how people write particle numbers
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

void read_value(std::uint32_t& to, const Value& from, const ReadContext&)
{
    const std::uint64_t value = parse_count(from.scalar());
    if (value > 0xffffffffu)
        throw ConfigError(fmt::format("found {}, expected at most {}", value, 0xffffffffu));
    to = static_cast<std::uint32_t>(value);
}

void read_value(int& to, const Value& from, const ReadContext&)
{
    const std::string& text = from.scalar();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc{} || end != text.data() + text.size())
        throw ConfigError(fmt::format("found '{}', expected a whole number", text));
}

void read_value(std::filesystem::path& to, const Value& from, const ReadContext& context)
{
    if (from.scalar().empty()) throw ConfigError("found an empty path");
    for (const char c : from.scalar())
        if (static_cast<unsigned char>(c) < ' ')
            throw ConfigError(fmt::format("found a path with a control character ({:#04x})",
                                          static_cast<unsigned char>(c)));
    to = (context.folder / from.scalar()).lexically_normal();
}

void read_value(Vec3& to, const Value& from, const ReadContext& context)
{
    std::array<double, 3> xyz{};
    read_value(xyz, from, context);
    to = {xyz[0], xyz[1], xyz[2]};
}

void read_value(std::vector<int>& to, const Value& from, const ReadContext& context)
{
    to.clear();
    for (const std::string& item : from.items) {
        int value = 0;
        read_value(value, Value{{item}}, context);
        to.push_back(value);
    }
}

void read_value(std::vector<std::string>& to, const Value& from, const ReadContext&) { to = from.items; }

}  // namespace aureole::run
