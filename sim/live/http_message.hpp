// Requests and responses of HTTP/1.1 (RFC 9112) as texts, as far as a page in a browser needs them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aureole::live {

struct Request {
    std::string method, path;  ///< "GET", "/frame": decoded, without the query
    std::map<std::string, std::string> query;

    /// The value behind a name, or `otherwise`.
    std::string value(const std::string& name, const std::string& otherwise = {}) const;
    /// The same as a number; nothing where there is none, or another text.
    std::optional<std::uint64_t> number(const std::string& name) const;
};

struct Response {
    int status = 200;
    std::string type, body;
    std::vector<std::pair<std::string, std::string>> headers{};
    bool events = false;  ///< the connection stays open and gets server-sent events
};

/// A response that says why nothing else is sent.
Response refusal(int status, const std::string& reason);

/// The first bytes of a connection, up to the empty line behind the headers.
/// Throws ArgumentError for what is no request of HTTP.
Request parse_request(std::string_view head);

/// What is sent for a response: status line, headers, body (unless `head_only`).
std::string response_text(const Response& response, bool head_only = false);

/// One server-sent event (HTML standard, section 9.2) with the whole of `data`.
std::string event_text(std::string_view data);

}  // namespace aureole::live
