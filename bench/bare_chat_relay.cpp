// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "bare_chat_relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bare_store.h"
#include "base/core/clock.h"
#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_handshake.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kBeforeText = R"("content":")";

constexpr std::chrono::milliseconds kCommitEvery{50};  // event::kFlowingDelay

// Stores the relayed frames as rows, in a commit every kCommitEvery on a thread of its own.
class KeptFrames {
 public:
  explicit KeptFrames(const std::string& path) : store_(path, 4'000) {
    std::thread([this] { run(); }).detach();  // until the process is killed
  }
  void add(std::int64_t session, std::uint64_t seq, std::string json) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({session, seq, clock_.wall(), std::move(json)});
  }

 private:
  struct Row {
    std::int64_t session;
    std::uint64_t seq;
    core::WallTime at;
    std::string json;
  };

  [[noreturn]] void run() {
    std::vector<Row> rows;
    while (true) {
      std::this_thread::sleep_for(kCommitEvery);
      {
        const std::scoped_lock lock(mutex_);
        rows.swap(waiting_);
      }
      if (rows.empty()) continue;
      store_.begin();
      for (const Row& row : rows) {
        store_.insert(row.session, row.seq, row.at, "out", "message_chunk", row.json);
      }
      store_.commit();
      rows.clear();
    }
  }

  const core::SystemClock clock_;
  BareStore store_;
  std::mutex mutex_;
  std::vector<Row> waiting_;
};

// One socket: of a front end, or to the model on behalf of a front end.
struct Socket {
  int fd = -1;
  Socket* peer = nullptr;   // for a socket to the model: its front end
  bool open = false;        // the WebSocket is open
  std::string in;           // the incomplete message
  std::string code;         // of the session
  std::int64_t number = 0;  // of the session
  std::uint64_t seq = 0;    // of its last frame
};

std::string value_of(std::string_view json, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":\"";
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + key.size();
  return std::string(json.substr(begin, json.find('"', begin) - begin));
}

class Relay {
 public:
  Relay(const std::string& folder, const std::string& model_url)
      : kept_(folder + "/bare.db"), listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    const std::size_t colon = model_url.rfind(':');
    const std::size_t slash = model_url.find('/', colon);
    model_port_ = static_cast<std::uint16_t>(std::atoi(model_url.c_str() + colon + 1));
    if (slash != std::string::npos) model_path_ = model_url.substr(slash);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    check(bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0, "bind");
    check(listen(listener_, 4'096) == 0, "listen");
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    std::printf("%d\n", ntohs(at.sin_port));
    std::fflush(stdout);
    add(listener_, nullptr);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 512> events;
    while (true) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        auto* const socket = static_cast<Socket*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (socket == nullptr) {
          accept_all();
        } else {
          read_from(*socket);
        }
      }
    }
  }

 private:
  // Sockets live as long as the program does.
  void add(int fd, std::unique_ptr<Socket> socket) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = socket.get();
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    if (socket) sockets_.push_back(std::move(socket));
  }

  void accept_all() {
    while (true) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      auto socket = std::make_unique<Socket>();
      socket->fd = fd;
      add(fd, std::move(socket));
    }
  }

  void read_from(Socket& socket) {
    const ssize_t got = recv(socket.fd, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) {
      close(socket.fd);
      return;
    }
    socket.in.append(buffer_.data(), static_cast<std::size_t>(got));
    if (socket.peer != nullptr) return relay(socket);
    if (socket.open) return ask(socket);
    answer(socket);
  }

  // Answers an HTTP request: for a session, or for a WebSocket.
  void answer(Socket& socket) {
    const std::size_t end = socket.in.find(kEndOfHead);
    if (end == std::string::npos) return;
    std::string out;
    if (socket.in.starts_with("POST ")) {
      if (!socket.in.ends_with('}')) return;
      const std::string body = R"({"data":"session_)" + std::to_string(++sessions_) + "\"}";
      out = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    } else {
      const std::string name = "Sec-WebSocket-Key: ";
      net::HandshakeAnswer handshake;
      handshake.accept = net::websocket_accept(
          std::string_view(socket.in).substr(socket.in.find(name) + name.size(), 24));
      out = handshake.head();
      socket.open = true;
      socket.number = ++sessions_open_;
    }
    socket.in.clear();
    write_all(socket.fd, out);
  }

  // Handles a USER_MESSAGE of a front end.
  void ask(Socket& front_end) {
    const net::HeaderResult frame =
        net::parse_frame_header(front_end.in, net::WebSocketSide::server, false);
    if (frame.status != net::HeaderStatus::ok) return;
    const auto size = static_cast<std::size_t>(frame.header.payload);
    if (front_end.in.size() < frame.header.size + size) return;
    char* const payload = front_end.in.data() + frame.header.size;
    net::apply_mask(payload, size, frame.header.mask);
    const std::string_view message(payload, size);
    front_end.code = value_of(message, "sessionCode");
    const std::string content = value_of(message, "content");
    front_end.in.clear();
    const std::string body =
        R"({"model":"scripted","stream":true,"messages":[{"role":"user","content":")" + content +
        "\"}]}";
    auto model = std::make_unique<Socket>();
    model->fd = connect_to(model_port_);
    model->peer = &front_end;
    write_all(model->fd, "POST " + model_path_ +
                             "/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                             "application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
    send_frame(front_end, "AGENT_PROMPT", R"("data":{"promptType":"THINKING"})");
    const int fd = model->fd;
    add(fd, std::move(model));
  }

  // Relays the model's output: each text becomes a frame, and so does the end of the stream.
  void relay(Socket& model) {
    std::size_t used = 0;
    while (true) {
      const std::size_t end = model.in.find("\n\n", used);
      if (end == std::string::npos) break;
      const std::string_view event = std::string_view(model.in).substr(used, end - used);
      used = end + 2;
      if (event.ends_with("data: [DONE]")) {
        send_frame(*model.peer, "AGENT_COMPLETE", R"("data":{})");
        continue;
      }
      const std::size_t key = event.find(kBeforeText);
      if (key == std::string_view::npos) continue;
      const std::size_t text = key + kBeforeText.size();
      content_ = kBeforeText;
      content_.append(event.substr(text, event.find('"', text) + 1 - text));
      send_frame(*model.peer, "AGENT_STREAM", content_);
    }
    model.in.erase(0, used);
  }

  void send_frame(Socket& front_end, std::string_view type, std::string_view members) {
    json_ = R"({"type":")";
    json_.append(type).append(R"(","sessionCode":")").append(front_end.code).append(R"(",)");
    json_.append(members).append(R"(,"seq":)").append(std::to_string(++front_end.seq)).append("}");
    out_.clear();
    net::append_frame(out_, {.opcode = net::Opcode::text}, json_);
    write_all(front_end.fd, out_);
    kept_.add(front_end.number, front_end.seq, json_);
  }

  int epoll_ = epoll_create1(0);
  KeptFrames kept_;
  int listener_;
  std::uint16_t model_port_ = 0;
  std::string model_path_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  std::uint64_t sessions_ = 0;
  std::int64_t sessions_open_ = 0;
  std::string content_;
  std::string json_;
  std::string out_;
  std::array<char, 64U << 10U> buffer_;
};

}  // namespace

void serve_bare_chats(const std::string& folder, const std::string& model_url) {
  // Rows of an earlier round have the same keys, so its database is removed.
  for (const char* file : {"/bare.db", "/bare.db-wal", "/bare.db-shm"}) {
    std::filesystem::remove(folder + file);
  }
  const auto relay = std::make_unique<Relay>(folder, model_url);
  relay->run();
}

}  // namespace parley::bench
