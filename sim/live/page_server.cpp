#include "sim/live/page_server.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "sim/core/error.hpp"
#include "sim/io/json_writer.hpp"
#include "sim/live/frames.hpp"

namespace aureole::live {
namespace {

constexpr char json_type[] = "application/json", text_type[] = "text/plain; charset=utf-8";
constexpr std::uint64_t usual_rows = 4000;

Response page_part(std::string_view text, const char* type)
{
    return {.type = type, .body = std::string(text)};
}

Response log_of(const RunView& view, const Request& request)
{
    const std::uint64_t most =
        std::clamp<std::uint64_t>(request.number("most").value_or(usual_rows), 2, 100000);
    const auto rows = view.rows(request.value("name"), request.number("from").value_or(0), most);
    if (!rows) return refusal(404, "no log of that name");
    return {.type = text_type,
            .body = rows->text,
            .headers = {{"X-Next", fmt::format("{}", rows->next)},
                        {"X-Stride", fmt::format("{}", rows->stride)}}};
}

Response picture_of(const RunView& view, const Request& request)
{
    const auto number = request.number("number");
    if (!number || *number > 0xffffffff) return refusal(404, "no picture without a number");
    auto picture = view.picture(static_cast<unsigned>(*number));
    if (!picture) return refusal(404, fmt::format("no picture {}", *number));
    return {
        .type = "image/png",
        .body = std::move(picture->png),
        .headers = {{"X-Time", io::printable(picture->time)}, {"Cache-Control", "private, max-age=3600"}}};
}

Response control_of(const PageServices& services, const Request& request)
{
    const std::string what = request.value("do");
    if (what != "stop" && what != "dump") return refusal(404, "found another request than stop or dump");
    services.control(what);
    return {.type = text_type, .body = what + " is requested\n"};
}

}  // namespace

std::string session_token()
{
    if (const char* given = std::getenv("AUREOLE_TOKEN"); given && *given) {
        const std::string token = given;
        AUREOLE_EXPECT(
            token.size() >= 16 && std::ranges::all_of(token, [](unsigned char c) { return std::isalnum(c); }),
            "AUREOLE_TOKEN: found {} characters, expected at least 16 letters and digits", token.size());
        return token;
    }
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw Error("the system gives no random numbers for the token; AUREOLE_TOKEN sets one");
    std::string token;
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return token;
}

PageServer::PageServer(const ListenConfig& config, std::string program)
    : address_(config.address), program_(std::move(program)), token_(session_token()), server_(config)
{
}

std::string PageServer::announcement() const
{
    std::string text = "open " + url() + "\n";
    if (!address_.starts_with("127."))
        text +=
            "warning: other machines can connect, and the token travels unencrypted; `ssh -L` does without\n";
    return text;
}

std::string PageServer::url() const
{
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return fmt::format("http://{}:{}/?token={}", address_ == "0.0.0.0" ? host : address_.c_str(),
                       server_.port(), token_);
}

/// Takes as long for a wrong token as for the right one.
bool PageServer::knows_token(const Request& request) const
{
    const std::string given = request.value("token");
    unsigned char differs = given.size() != token_.size();
    for (std::size_t k = 0; k < token_.size(); ++k)
        differs |= static_cast<unsigned char>(token_[k] ^ (k < given.size() ? given[k] : 0));
    return differs == 0;
}

std::string PageServer::state(RunView& view, const PageServices& services) const
{
    try {
        std::string text = view.state();
        text.insert(text.size() - 1,
                    fmt::format(", \"program\": {}, \"live\": {}, \"draws\": {}, \"controls\": {}",
                                io::json_text(program_), services.live, services.frames && !services.live,
                                bool(services.control)));
        return text;
    } catch (const std::exception& error) {
        return io::JsonObject().add("error", std::string(error.what())).text();
    }
}

std::optional<Response> PageServer::answer(RunView& view, const PageServices& services,
                                           const Request& request) const
{
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads && !(request.method == "POST" && request.path == "/control"))
        return refusal(405, "found " + io::printable(request.method.substr(0, 20)) + ", expected GET");
    if (request.path == "/page.js") return page_part(page_js, "text/javascript; charset=utf-8");
    if (request.path == "/page.css") return page_part(page_css, "text/css; charset=utf-8");
    if (!knows_token(request))
        return refusal(
            403, "The address lacks the right token: open the one that the program printed when it began.");
    if (request.path == "/") return page_part(page_html, "text/html; charset=utf-8");
    if (request.path == "/events") return Response{.type = "text/event-stream", .body = {}, .events = true};
    if (request.path == "/state") return Response{.type = json_type, .body = state(view, services)};
    if (request.path == "/log") return log_of(view, request);
    if (request.path == "/picture") return picture_of(view, request);
    if (request.path == "/frame" && services.frames) return services.frames->frame(request);
    if (request.path == "/control" && services.control && !reads) return control_of(services, request);
    return refusal(404, "nothing has this address");
}

void PageServer::serve(RunView& view, const PageServices& services, const std::function<bool()>& stop)
{
    server_.serve([&](const Request& request) { return answer(view, services, request); },
                  [&] { return state(view, services); }, stop);
}

}  // namespace aureole::live
