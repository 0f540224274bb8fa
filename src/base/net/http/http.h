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
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"

namespace parley::net {

// Header fields in order. Names are compared without case.
class Headers {
 public:
  // The first value, or an empty view.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  void add(std::string name, std::string value);
  void set(std::string name, std::string value);
  void remove(std::string_view name);
  // True if a comma-separated list field (Accept-Encoding, Connection) contains `token` in any
  // case, without `;q=0`.
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
  bool http_1_1 = true;  // false: HTTP/1.0
  int hops = 0;          // nodes of the cluster that have passed it on; 0: it comes from its client
  std::string owner;     // see Admission
  std::vector<std::pair<std::string, std::string>> path_params;  // of "/v1/sessions/{id}"

  // A decoded parameter of the query; std::nullopt if it is missing.
  std::optional<std::string> query_param(std::string_view name) const;
  // A part of the path by its name in the route; empty if the route has none.
  std::string_view path_param(std::string_view name) const;
  // `Authorization: Bearer T`, else `?token=T`, else empty.
  std::string token() const;
};

struct Response {
  int status = 200;
  Headers headers;  // Content-Length, Date, Connection and the security headers are added
  std::string body;
  // In place of `body` if not empty: bytes of the program or of many answers, which are neither
  // copied nor compressed.
  SharedBytes shared_body = {};
  std::string_view content() const { return shared_body.empty() ? body : shared_body.view(); }
  // Delay before the response is sent (Responder::send, a refusal of Admit or of a WebSocket); no
  // other request of the connection is answered meanwhile. Ignored while the server drains.
  core::Millis delay{0};

  static Response text(int status, std::string body);
  static Response json(int status, std::string body);
  // {"code":"not_found","message":"...","field":"..."} with the code's status.
  static Response error(const core::Error& error);
};

// A streamed body (SSE, NDJSON), shared with the connection. After the peer has gone or was too
// slow, write() is a no-op and open() is false.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void end() = 0;
  virtual bool open() const = 0;
  // Bytes that wait for the peer. Above the limit of the server the body is aborted and
  // on_disconnect runs.
  virtual std::size_t queued() const = 0;
  // Runs `task` once when the peer has gone or was too slow; not after end().
  virtual void on_disconnect(core::Task task) = 0;
};

// Answers one request. May be moved, kept and used later, only on the thread of `scheduler()`. If
// destroyed unused, the answer is 500.
class Responder {
 public:
  class Impl {
   public:
    virtual ~Impl() = default;
    virtual void send(Response response) = 0;
    virtual std::shared_ptr<BodyWriter> start(Response head) = 0;
    virtual void on_disconnect(core::Task task) = 0;
    virtual core::Scheduler& scheduler() = 0;
  };

  explicit Responder(std::unique_ptr<Impl> impl);
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;
  ~Responder();

  void send(Response response);
  // Sends the head and keeps the body open (chunked).
  std::shared_ptr<BodyWriter> start(Response head);
  // Runs `task` once if the peer disconnects before the answer is sent.
  void on_disconnect(core::Task task);
  core::Scheduler& scheduler();

 private:
  std::unique_ptr<Impl> impl_;
};

using HttpHandler = std::function<void(Request, Responder)>;

// The account and the limit of a request whose sender is known.
struct Admission {
  std::string account;             // the body counts to its budget: a token's id; empty: unknown
  std::size_t max_body_bytes = 0;  // at most ServerOptions::max_body_bytes; 0: that limit
  // Whose sessions the request concerns: in a cluster, their home serves it. Empty: any node does.
  std::string owner = {};
};

// Decides on a request when its head is complete, before any byte of its body is kept. `head` has
// no body. A returned response refuses the request (401, 403), and its handler does not run. Runs
// on the connection's thread and must not block.
using Admit = std::function<tl::expected<Admission, Response>(const Request& head)>;

class WebSocket;
class WebSocketHandler;

// A handler for a new WebSocket. With an account, messages count to its budget and may have their
// full size at once; without one, only after WebSocket::admit().
struct AcceptedWebSocket {
  AcceptedWebSocket() = default;
  template <typename Handler>
  AcceptedWebSocket(std::unique_ptr<Handler> with,  // NOLINT(google-explicit-constructor)
                    std::optional<std::string> known_account = std::nullopt)
      : handler(std::move(with)), account(std::move(known_account)) {}

  std::unique_ptr<WebSocketHandler> handler;
  std::optional<std::string> account;
  TakeOver take_over;  // in place of a handler, if it is set; it answers the handshake
};

// Decides on an upgrade after the check of Origin: a handler for the new connection, or a response
// that refuses it (401, 403).
using WebSocketAcceptor = std::function<tl::expected<AcceptedWebSocket, Response>(const Request&)>;

struct WebSocketOptions {
  std::size_t max_message_bytes = 16U << 20U;  // larger messages: close 1009
  // Limit (WebSocket): a message, also after decompression, until the sender has logged in.
  // Reached: closed with 1009.
  std::size_t max_open_message_bytes = 64U << 10U;  // the same limit before the sender is known
  bool compression = true;                          // offer permessage-deflate
  std::vector<std::string> subprotocols;
};

// Maps method and path to handlers. Filled before the server starts, then immutable and shared by
// all threads; handlers run on the thread of the connection.
class Router {
 public:
  // `pattern`: "/healthz", "/v1/sessions/{id}/events", or "/console/*" (everything below). The most
  // specific pattern wins: a literal part before a named one before "*". The route of GET serves
  // HEAD. A known path with another method: 405. Throws std::logic_error for an invalid pattern or
  // a duplicate with this method. Without `admit` the body is limited to
  // ServerOptions::max_open_body_bytes.
  void add(std::string method, std::string pattern, HttpHandler handler, Admit admit = {});
  // A path may serve both GET and a WebSocket.
  void add_websocket(std::string pattern, WebSocketOptions options, WebSocketAcceptor acceptor);
  // Called if no route matches; the default answers 404.
  void set_fallback(HttpHandler handler);
  // A route as it was added.
  struct RouteName {
    std::string_view method;
    std::string_view pattern;
    bool admits = false;  // it has an `admit`
  };
  // Replaces the handlers of all routes, and the acceptors of all WebSockets, by what the functions
  // make of them.
  void wrap(const std::function<HttpHandler(const RouteName& route, HttpHandler)>& handler,
            const std::function<WebSocketAcceptor(WebSocketAcceptor)>& acceptor);
  // Calls `visit` with method and pattern as they were added; `method` is "" for a WebSocket.
  void each_route(
      const std::function<void(std::string_view method, std::string_view pattern)>& visit) const;

  struct Match {
    const HttpHandler* handler = nullptr;
    const Admit* admit = nullptr;  // the handler's; null if it has none
    const WebSocketAcceptor* acceptor = nullptr;
    const WebSocketOptions* websocket_options = nullptr;
    // The matching pattern, for metrics and logs; empty if none matches. Valid as long as the
    // router.
    std::string_view pattern;
    std::vector<std::pair<std::string, std::string>> params;
    std::string allow;  // for 405: the methods of the path
    bool found_path = false;
  };
  // `path` as in Request::path. `handler` is null for 405 and for a path that serves only a
  // WebSocket.
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
