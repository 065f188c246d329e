// A small server for pages of this machine's own user: HTTP/1.1 and server-sent events, one thread, no
// waiting for any client.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/live/http_message.hpp"
#include "sim/live/listen_config.hpp"

namespace aureole::live {

class HttpServer {
public:
    /// The response to a request; nothing while it is being prepared: the request is given again after
    /// wake(), and five times a second.
    using Handler = std::function<std::optional<Response>(const Request&)>;

    /// Binds and listens; nothing is answered before serve(). Throws IoError that names address, port and
    /// what helps, for a port in use too.
    explicit HttpServer(const ListenConfig& config);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    unsigned port() const { return port_; }

    /// Answers until stop() is true, which is asked five times a second and after wake(). `events`: asked
    /// once a second while a client listens; where its text has changed, all listeners get it, the last one
    /// too before serve() returns. A client that sends or takes nothing is closed after ten seconds, one that
    /// takes events too slowly as well; none is waited for. What a handler throws becomes a response of
    /// status 500.
    void serve(const Handler& handler, const std::function<std::string()>& events,
               const std::function<bool()>& stop);

    /// Lets serve() look at once; from any thread.
    void wake();

private:
    using Clock = std::chrono::steady_clock;
    struct Client;
    void bind_to(const ListenConfig& config);
    void accept_all();
    void read(Client& client);
    void answer(Client& client, const Handler& handler);
    void write(Client& client);
    void send_events(const std::function<std::string()>& events, bool now);
    void wait(std::chrono::milliseconds most);
    void drop_idle();
    void finish();

    int listener_ = -1, wake_read_ = -1, wake_write_ = -1;
    unsigned port_ = 0;
    std::vector<std::unique_ptr<Client>> clients_;
    Clock::time_point events_at_{};
};

}  // namespace aureole::live
