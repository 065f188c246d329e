// The page of one run: which address gives what. docs/live_view.md tells how it is used.
#pragma once

#include <string>
#include <string_view>

#include "sim/live/http_server.hpp"
#include "sim/live/run_view.hpp"

namespace aureole::live {

/// A token of 32 hexadecimal digits that cannot be guessed; or the content of the environment variable
/// AUREOLE_TOKEN, so that an address outlasts a restart. Throws ArgumentError for one of fewer than 16
/// letters and digits, or with other characters.
std::string session_token();

class FrameSource;

/// What a page gets beside the files of a run.
struct PageServices {
    FrameSource* frames = nullptr;
    bool live = false;  ///< `frames` are those of the run as it goes on
    std::function<void(const std::string&)>
        control{};  ///< takes "stop" and "dump"; nothing: the page has no buttons
};

class PageServer {
public:
    /// Listens from now on; see HttpServer. `program` is the version that the page shows.
    PageServer(const ListenConfig& config, std::string program);

    /// What the user opens, with the token.
    std::string url() const;

    /// What the program prints of it: the address, and a warning where other machines may connect.
    std::string announcement() const;

    /// Serves until stop() is true. Every request but those for the page's own script and style needs the
    /// token. No name of a file is taken from a request: logs are those that runs write, pictures are
    /// numbers.
    void serve(RunView& view, const PageServices& services, const std::function<bool()>& stop);

    void wake() { server_.wake(); }

private:
    std::optional<Response> answer(RunView& view, const PageServices& services, const Request& request) const;
    std::string state(RunView& view, const PageServices& services) const;
    bool knows_token(const Request& request) const;

    std::string address_, program_, token_;
    HttpServer server_;
};

/// The files of the page, which are part of the program: it needs no network and no file at run time.
extern const std::string_view page_html, page_css, page_js;

}  // namespace aureole::live
