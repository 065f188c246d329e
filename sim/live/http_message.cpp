#include "sim/live/http_message.hpp"

#include <charconv>

#include "sim/core/error.hpp"

namespace aureole::live {
namespace {

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// `text` with %XX as bytes.
std::string decoded(std::string_view text)
{
    std::string bytes;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool coded = text[k] == '%' && k + 2 < text.size() && hex_digit(text[k + 1]) >= 0 &&
                           hex_digit(text[k + 2]) >= 0;
        bytes += coded ? static_cast<char>(16 * hex_digit(text[k + 1]) + hex_digit(text[k + 2])) : text[k];
        if (coded) k += 2;
    }
    return bytes;
}

std::map<std::string, std::string> query_of(std::string_view text)
{
    std::map<std::string, std::string> query;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        const std::size_t equal = pair.find('=');
        const std::string_view value =
            equal == std::string_view::npos ? std::string_view() : pair.substr(equal + 1);
        query.emplace(decoded(pair.substr(0, equal)), decoded(value));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
    }
    return query;
}

const char* reason_of(int status)
{
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 503:
            return "Service Unavailable";
        default:
            return "Internal Server Error";
    }
}

}  // namespace

std::string Request::value(const std::string& name, const std::string& otherwise) const
{
    const auto found = query.find(name);
    return found == query.end() ? otherwise : found->second;
}

std::optional<std::uint64_t> Request::number(const std::string& name) const
{
    const std::string text = value(name);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
    return number;
}

Response refusal(int status, const std::string& reason)
{
    return {.status = status, .type = "text/plain; charset=utf-8", .body = reason + "\n"};
}

Request parse_request(std::string_view head)
{
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    AUREOLE_EXPECT(
        first != std::string_view::npos && last > first && line.substr(last + 1).starts_with("HTTP/1."),
        "a request begins with '{}', expected METHOD TARGET HTTP/1.1", line.substr(0, 40));
    const std::string_view target = line.substr(first + 1, last - first - 1);
    AUREOLE_EXPECT(target.starts_with('/'), "a request asks for '{}', expected a path", target.substr(0, 40));
    const std::size_t mark = target.find('?');
    return {std::string(line.substr(0, first)), decoded(target.substr(0, mark)),
            query_of(mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1))};
}

/// Nothing of another site is loaded, and no site learns the address, which holds the token.
std::string response_text(const Response& response, bool head_only)
{
    std::string text = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: close\r\n",
                                   response.status, reason_of(response.status), response.type);
    if (!response.events) text += fmt::format("Content-Length: {}\r\n", response.body.size());
    bool cached = false;
    for (const auto& [name, value] : response.headers) {
        text += fmt::format("{}: {}\r\n", name, value);
        cached = cached || name == "Cache-Control";
    }
    if (!cached) text += "Cache-Control: no-store\r\n";
    text +=
        "Content-Security-Policy: default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
        "form-action 'none'\r\n"
        "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\r\n";
    return head_only ? text : text + response.body;
}

std::string event_text(std::string_view data)
{
    std::string text = "data: ";
    for (const char c : data) {
        if (c == '\n')
            text += "\ndata: ";
        else if (c != '\r')
            text += c;
    }
    return text + "\n\n";
}

}  // namespace aureole::live
