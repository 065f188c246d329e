#include "sim/live/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/core/error.hpp"

namespace aureole::live {
namespace {

using namespace std::chrono_literals;

constexpr unsigned usual_port = 8765, ports_tried = 20;
constexpr std::size_t most_clients = 64;
constexpr std::size_t longest_head = 16384;
constexpr std::size_t longest_queue = 4 << 20;  // bytes of events that a client has not taken
constexpr auto patience = 10s;

[[noreturn]] void fail(const std::string& what)
{
    throw IoError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void make_free(int& handle)
{
    if (handle >= 0) ::close(handle);
    handle = -1;
}

}  // namespace

/// A connection: its request, while that comes in or is answered; then what is still to be sent.
struct HttpServer::Client {
    explicit Client(int accepted) : handle(accepted) {}
    ~Client() { ::close(handle); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool sending() const { return sent < out.size(); }
    void queue(const std::string& text)
    {
        out.erase(0, sent);
        sent = 0;
        out += text;
    }

    int handle;
    std::string in, out;
    std::size_t sent = 0;
    std::optional<Request> request;
    bool answered = false, listens = false, closed = false;
    std::string event{};  ///< the last that was queued
    Clock::time_point moved = Clock::now();
};

HttpServer::HttpServer(const ListenConfig& config)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) fail("a page in the browser needs a pipe");
    wake_read_ = ends[0];
    wake_write_ = ends[1];
    try {
        bind_to(config);
    } catch (...) {
        for (int* handle : {&listener_, &wake_read_, &wake_write_}) make_free(*handle);
        throw;
    }
}

HttpServer::~HttpServer()
{
    for (int* handle : {&listener_, &wake_read_, &wake_write_}) make_free(*handle);
}

void HttpServer::bind_to(const ListenConfig& config)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (::inet_pton(AF_INET, config.address.c_str(), &address.sin_addr) != 1)
        throw ArgumentError(
            fmt::format("--address: found '{}', expected four numbers as 127.0.0.1", config.address));
    AUREOLE_EXPECT(config.port.value_or(0) <= 65535, "--port: found {}, expected 0 to 65535", *config.port);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0) fail("a page in the browser needs a socket");
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const unsigned first = config.port.value_or(usual_port), tries = config.port ? 1 : ports_tried;
    for (unsigned port = first; port < first + tries; ++port) {
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
        if (::bind(listener_, generic, sizeof address) != 0 || ::listen(listener_, 16) != 0) {
            if (errno == EADDRINUSE && port + 1 < first + tries) continue;
            const int reason = errno;
            throw IoError(
                fmt::format("port {} of {}: {}; --port N names another one, --port 0 takes any that is free",
                            port, config.address, std::strerror(reason)));
        }
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        return;
    }
}

void HttpServer::wake()
{
    // a full pipe wakes as well
    if (::write(wake_write_, "w", 1) < 0) return;
}

void HttpServer::wait(std::chrono::milliseconds most)
{
    std::vector<pollfd> handles{{wake_read_, POLLIN, 0}};
    for (const auto& client : clients_)
        handles.push_back(
            {client->handle, static_cast<short>(POLLIN | (client->sending() ? POLLOUT : 0)), 0});
    // with too many clients the next ones wait in the system's queue
    if (clients_.size() < most_clients) handles.push_back({listener_, POLLIN, 0});
    ::poll(handles.data(), handles.size(), static_cast<int>(most.count()));
    char drained[256];
    while (::read(wake_read_, drained, sizeof drained) > 0) {
    }
}

void HttpServer::accept_all()
{
    while (clients_.size() < most_clients) {
        const int handle = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (handle < 0) return;
        clients_.push_back(std::make_unique<Client>(handle));
    }
}

/// What comes behind the request is thrown away: no request has a body that is looked at.
void HttpServer::read(Client& client)
{
    char bytes[4096];
    for (;;) {
        const ssize_t got = ::recv(client.handle, bytes, sizeof bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) client.closed = true;
        if (got <= 0) break;
        if (!client.request && !client.answered) client.in.append(bytes, static_cast<std::size_t>(got));
        if (client.in.size() > longest_head) break;
    }
    if (client.request || client.answered) return;
    const std::size_t end = client.in.find("\r\n\r\n");
    if (end == std::string::npos && client.in.size() <= longest_head) return;
    try {
        AUREOLE_EXPECT(end != std::string::npos, "a request has {} bytes, expected at most {}",
                       client.in.size(), longest_head);
        client.request = parse_request(std::string_view(client.in).substr(0, end));
    } catch (const Error& error) {
        client.queue(response_text(refusal(400, error.what())));
        client.answered = true;
    }
    client.in.clear();
}

void HttpServer::answer(Client& client, const Handler& handler)
{
    if (!client.request || client.answered || client.closed) return;
    const std::string& method = client.request->method;
    std::optional<Response> response;
    try {
        response = handler(*client.request);
    } catch (const std::exception& error) {
        response = refusal(500, error.what());
    }
    client.moved = response ? Clock::now() : client.moved;
    if (!response) return;
    client.queue(response_text(*response, method == "HEAD"));
    client.answered = true;
    client.listens = response->events;
}

void HttpServer::write(Client& client)
{
    while (client.sending() && !client.closed) {
        const ssize_t gone = ::send(client.handle, client.out.data() + client.sent,
                                    client.out.size() - client.sent, MSG_NOSIGNAL);
        if (gone < 0 && errno == EINTR) continue;
        if (gone < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (gone <= 0) {
            client.closed = true;
            return;
        }
        client.sent += static_cast<std::size_t>(gone);
        client.moved = Clock::now();
    }
    if (client.answered && !client.listens) client.closed = true;
}

/// A line that is no event follows every patience / 2, so that clients and tunnels know of each other.
void HttpServer::send_events(const std::function<std::string()>& events, bool now)
{
    const bool any = std::ranges::any_of(clients_, [](const auto& client) { return client->listens; });
    const bool first = std::ranges::any_of(
        clients_, [](const auto& client) { return client->listens && client->event.empty(); });
    if (!any || !(now || first || Clock::now() - events_at_ >= 1s)) return;
    events_at_ = Clock::now();
    const std::string event = event_text(events());
    for (const auto& client : clients_) {
        if (!client->listens) continue;
        if (client->event != event)
            client->queue(client->event = event);
        else if (!client->sending() && Clock::now() - client->moved > patience / 2)
            client->queue(": still here\n\n");
        if (client->out.size() > longest_queue) client->closed = true;
    }
}

void HttpServer::drop_idle()
{
    const auto now = Clock::now();
    std::erase_if(clients_, [&](const auto& client) {
        const bool prepares = client->request && !client->answered;
        const bool rests = client->listens && !client->sending();
        return client->closed || (!prepares && !rests && now - client->moved > patience);
    });
}

void HttpServer::serve(const Handler& handler, const std::function<std::string()>& events,
                       const std::function<bool()>& stop)
{
    while (!stop()) {
        wait(200ms);
        accept_all();
        for (const auto& client : clients_) {
            read(*client);
            answer(*client, handler);
        }
        send_events(events, false);
        for (const auto& client : clients_) write(*client);
        drop_idle();
    }
    send_events(events, true);
    finish();
}

/// What is queued goes out within half a second, or not at all.
void HttpServer::finish()
{
    const auto end = Clock::now() + 500ms;
    const auto sending = [](const auto& client) { return client->sending() && !client->closed; };
    for (;;) {
        for (const auto& client : clients_) write(*client);
        if (std::ranges::none_of(clients_, sending) || Clock::now() > end) break;
        wait(20ms);
    }
    clients_.clear();
}

}  // namespace aureole::live
