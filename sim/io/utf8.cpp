// Well-formed sequences are those of table 3-7 of the Unicode Standard: shortest forms only, no surrogates,
// nothing beyond U+10FFFF. Everything is decided by bytes, the same in every locale.
#include "sim/io/utf8.hpp"

#include <fmt/format.h>

namespace aureole::io {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

struct ByteRange {
    unsigned char least, greatest;
};

/// Bytes of the character that `lead` begins; 0 when it begins none.
std::size_t length_from(unsigned char lead)
{
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// What the second byte may be; those behind it are 0x80 to 0xbf.
ByteRange second_byte(unsigned char lead)
{
    switch (lead) {
        case 0xe0:
            return {0xa0, 0xbf};  // else U+07FF and below, which two bytes hold
        case 0xed:
            return {0x80, 0x9f};  // else surrogates
        case 0xf0:
            return {0x90, 0xbf};  // else what three bytes hold
        case 0xf4:
            return {0x80, 0x8f};  // else beyond U+10FFFF
        default:
            return {0x80, 0xbf};
    }
}

bool is_url_character(char c)
{
    constexpr std::string_view marks = "-._~!$&'()*+,;=@";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
}

}  // namespace

std::string valid_utf8(std::string_view text)
{
    std::string valid;
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text.front());
        const std::size_t length = length_from(lead);
        ByteRange next = second_byte(lead);
        std::size_t good = 1;
        for (; good < length && good < text.size(); ++good, next = {0x80, 0xbf})
            if (const auto byte = static_cast<unsigned char>(text[good]);
                byte < next.least || byte > next.greatest)
                break;
        valid += good == length ? text.substr(0, good) : replacement;
        text.remove_prefix(good);
    }
    return valid;
}

namespace {

/// How `c` is spelt where it must not have its effect.
std::string spelt(unsigned char c)
{
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    return fmt::format("\\x{:02x}", static_cast<unsigned>(c));
}

/// `kept`: a control character that stays; 0 for none.
std::string without_controls(std::string_view text, char kept)
{
    const std::string valid = valid_utf8(text);
    std::string shown;
    for (std::size_t k = 0; k < valid.size(); ++k) {
        const auto c = static_cast<unsigned char>(valid[k]);
        const auto next = static_cast<unsigned char>(k + 1 < valid.size() ? valid[k + 1] : 0);
        if (c == 0xc2 && next < 0xa0)  // U+0080 to U+009F
            shown += spelt(static_cast<unsigned char>(valid[++k]));
        else if ((c < 0x20 || c == 0x7f) && (c == 0 || valid[k] != kept))
            shown += spelt(c);
        else
            shown += valid[k];
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text) { return without_controls(text, 0); }

std::string printable_lines(std::string_view text) { return without_controls(text, '\n'); }

std::string json_text(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : valid_utf8(text)) {
        if (c == '"' || c == '\\')
            quoted += {'\\', c};
        else if (c == '\n')
            quoted += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            quoted += c;
    }
    return quoted + "\"";
}

std::string relative_url(std::string_view name)
{
    std::string url;
    for (const char c : name)
        if (is_url_character(c))
            url += c;
        else
            url += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    return url;
}

}  // namespace aureole::io
