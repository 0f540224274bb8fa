// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "net/loop/stream.h"

namespace parley::net {

// Header fields in order. Names compare without case.
class Headers {
 public:
  // The first value, or an empty view.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  void add(std::string name, std::string value);
  void set(std::string name, std::string value);
  void remove(std::string_view name);
  // True if a comma-separated list field (Accept-Encoding, Connection) holds `token`, any case; a
  // token with `;q=0` does not count.
  bool lists(std::string_view name, std::string_view token) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  std::string id;  // request id, for logs; sent back as X-Request-Id
  std::string method;
  std::string target;  // as sent
  std::string path;    // percent-decoded, no query, normalised; always begins with '/'
  std::string query;   // as sent, without '?'
  Headers headers;
  std::string body;
  std::string peer;  // address without port
  bool secure = false;
  bool http_1_1 = true;                                          // false: HTTP/1.0
  std::vector<std::pair<std::string, std::string>> path_params;  // of "/v1/sessions/{id}"

  // A decoded parameter of the query; std::nullopt if it is not there.
  std::optional<std::string> query_param(std::string_view name) const;
  // A part of the path by its name in the route; empty if there is none.
  std::string_view path_param(std::string_view name) const;
  // `Authorization: Bearer T`, else `?token=T`, else empty.
  std::string token() const;
};

struct Response {
  int status = 200;
  Headers headers;  // Content-Length, Date, Connection and the security headers are added
  std::string body;
  // Sent this much later (Responder::send, a refusal of Admit or of a WebSocket); nothing else of
  // the connection is answered meanwhile. Not while the server drains.
  core::Millis delay{0};

  static Response text(int status, std::string body);
  static Response json(int status, std::string body);
  // {"code":"not_found","message":"...","field":"..."} with the code's status.
  static Response error(const core::Error& error);
};

// A body that is written over time (SSE, NDJSON). Shared with the connection; after the peer has
// gone or fallen behind, write() is a no-op and open() is false.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void end() = 0;
  virtual bool open() const = 0;
  // Bytes that wait for a slow peer. Over the limit of the server the body is ended by force and
  // on_gone runs.
  virtual std::size_t queued() const = 0;
  // Runs once when the peer is gone, or fell behind; not after end().
  virtual void on_gone(core::Task task) = 0;
};

// The one answer to a request; movable, may be kept and used later, but only on the thread of
// `scheduler()`. Destroyed unused, it answers 500.
class Responder {
 public:
  class Impl {
   public:
    virtual ~Impl() = default;
    virtual void send(Response response) = 0;
    virtual std::shared_ptr<BodyWriter> start(Response head) = 0;
    virtual void on_gone(core::Task task) = 0;
    virtual core::Scheduler& scheduler() = 0;
  };

  explicit Responder(std::unique_ptr<Impl> impl);
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;
  ~Responder();

  void send(Response response);
  // Sends the head and keeps the body open (chunked).
  std::shared_ptr<BodyWriter> start(Response head);
  // Runs once if the peer goes before the answer is sent.
  void on_gone(core::Task task);
  core::Scheduler& scheduler();

 private:
  std::unique_ptr<Impl> impl_;
};

using HttpHandler = std::function<void(Request, Responder)>;

// The account and the limit of a request whose sender is known.
struct Admission {
  std::string account;  // to whose budget the body counts: a token's id; empty: unknown
  std::size_t max_body_bytes =
      0;  // 0: ServerOptions::max_body_bytes, which is the most in any case
};

// Decides on a request when its head is complete, before a byte of its body is kept. `head` has no
// body. A response refuses the request (401, 403); its handler does not run then. Runs on the
// thread of the connection and must not block.
using Admit = std::function<tl::expected<Admission, Response>(const Request& head)>;

class WebSocket;
class WebSocketHandler;

// A handler for a new WebSocket. With an account its messages count to that budget and may have
// their full size at once; without one, from WebSocket::admit() on.
struct AcceptedWebSocket {
  AcceptedWebSocket() = default;
  template <typename Handler>
  AcceptedWebSocket(std::unique_ptr<Handler> with,  // NOLINT(google-explicit-constructor)
                    std::optional<std::string> known_account = std::nullopt)
      : handler(std::move(with)), account(std::move(known_account)) {}

  std::unique_ptr<WebSocketHandler> handler;
  std::optional<std::string> account;
};

// Decides on an upgrade, after Origin was checked: a handler for the new connection, or a
// response that refuses it (401, 403).
using WebSocketAcceptor = std::function<tl::expected<AcceptedWebSocket, Response>(const Request&)>;

struct WebSocketOptions {
  std::size_t max_message_bytes = 16U << 20U;       // more: close 1009
  std::size_t max_open_message_bytes = 64U << 10U;  // the same before the sender is known
  bool compression = true;                          // offer permessage-deflate
  std::vector<std::string> subprotocols;
};

// Maps method and path to handlers. Filled before the server starts, then immutable and shared by
// all threads; handlers run on the thread of the connection.
class Router {
 public:
  // `pattern`: "/healthz", "/v1/sessions/{id}/events", or "/console/*" (everything below).
  // The most exact pattern wins: a literal part before a named one before "*". HEAD is served by
  // GET. A known path with another method: 405. Throws std::logic_error for a bad pattern or one
  // that is there already with this method. Without `admit` a request may have a small body only
  // (ServerOptions::max_open_body_bytes).
  void add(std::string method, std::string pattern, HttpHandler handler, Admit admit = {});
  // A path may serve both GET and a WebSocket.
  void add_websocket(std::string pattern, WebSocketOptions options, WebSocketAcceptor acceptor);
  // Called when nothing else fits; the default answers 404.
  void set_fallback(HttpHandler handler);
  // With method and pattern as they were given; `method` is "" for a WebSocket.
  void each_route(
      const std::function<void(std::string_view method, std::string_view pattern)>& visit) const;

  struct Match {
    const HttpHandler* handler = nullptr;
    const Admit* admit = nullptr;  // of the handler; null if it has none
    const WebSocketAcceptor* acceptor = nullptr;
    const WebSocketOptions* websocket_options = nullptr;
    // The pattern that fits, for metrics and logs; empty when none does. Lives as long as the
    // router.
    std::string_view pattern;
    std::vector<std::pair<std::string, std::string>> params;
    std::string allow;  // for 405: the methods that there are
    bool found_path = false;
  };
  // `path` as in Request::path. `handler` is null for 405 and where only a WebSocket is served.
  Match match(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method;  // "" for WebSocket
    std::string pattern;
    std::vector<std::string> parts;
    HttpHandler handler;
    Admit admit;
    WebSocketAcceptor acceptor;
    WebSocketOptions options;
  };
  void add_route(Route route);

  std::vector<Route> routes_;
  HttpHandler fallback_;
};

}  // namespace parley::net
