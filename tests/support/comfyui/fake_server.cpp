// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/fake_server.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/id.h"

namespace parley::fake_comfyui {
namespace {

using boost::json::object;

constexpr std::size_t kMaxWaiting = 256;
constexpr std::size_t kMaxClientId = 128;
constexpr std::size_t kMaxSocketMessage = 1U << 20U;

// Host and port of an Origin, in the form of Host.
std::string_view authority_of(std::string_view origin) {
  const std::size_t at = origin.find("://");
  return at == std::string_view::npos ? origin : origin.substr(at + 3);
}

}  // namespace

// One WebSocket of a client.
class FakeServer::Socket final : public net::WebSocketHandler {
 public:
  Socket(FakeServer& server, std::string sid)
      : server_(server), alive_(server.alive_), sid_(std::move(sid)) {}

  void on_open(net::WebSocket& socket) override {
    if (*alive_) server_.join(sid_, socket);
  }
  // Handles only the exchange of features; a real server ignores other messages as well.
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override {
    if (!*alive_ || type != net::MessageType::text) return;
    boost::system::error_code problem;
    const boost::json::value message = boost::json::parse(data, problem);
    const object* said = problem ? nullptr : message.if_object();
    const boost::json::value* kind = said == nullptr ? nullptr : said->if_contains("type");
    if (kind == nullptr || *kind != "feature_flags") return;
    server_.send_to(socket, "feature_flags", server_.features());
  }
  void on_close(net::WebSocket& socket, std::uint16_t /*code*/,
                std::string_view /*reason*/) override {
    if (*alive_) server_.leave(sid_, socket);
  }

 private:
  FakeServer& server_;
  const std::shared_ptr<bool> alive_;
  const std::string sid_;
};

FakeServer::FakeServer(core::Scheduler& scheduler, core::Entropy& entropy,
                       const FakeOptions& options)
    : scheduler_(scheduler),
      entropy_(entropy),
      options_(options),
      files_(options.max_files_bytes),
      catalog_(options_.models, [this] { return files_.names("input", ""); }),
      object_info_bytes_(options.object_info_bytes),
      engine_(scheduler, entropy, files_, *this,
              {.tick = options.tick,
               .deterministic = options.deterministic,
               .max_queue = options.max_queue,
               .old_shapes = options.old_shapes}) {}

FakeServer::~FakeServer() { *alive_ = false; }

void FakeServer::inject(Fault fault) {
  switch (fault.kind) {
    case Fault::Kind::reset:
      faults_.clear();
      waiting_.clear();  // destroyed responders answer 500
      object_info_bytes_ = options_.object_info_bytes;
      return;
    case Fault::Kind::crash:
      engine_.crash();
      drop_sockets();
      return;
    case Fault::Kind::big_object_info:
      object_info_bytes_ = fault.bytes;
      return;
    default:
      faults_.add(std::move(fault));
  }
}

void FakeServer::add(net::Router& router, std::string method, const std::string& pattern,
                     Answer answer) {
  const net::Admit admit = [limit = options_.max_body_bytes](const net::Request&) {
    return tl::expected<net::Admission, net::Response>(net::Admission{"", limit});
  };
  const bool has_body = method == "POST";
  for (const std::string& prefix : {std::string(), std::string("/api")}) {
    router.add(
        method, prefix + pattern,
        [this, pattern, answer](const net::Request& request, net::Responder responder) {
          serve(pattern, request, std::move(responder), answer);
        },
        has_body ? admit : net::Admit());
  }
}

const net::Response* FakeServer::refusal(const net::Request& request) {
  static const net::Response kForbidden = net::Response::text(403, "");
  static const net::Response kNoUser = net::Response::text(401, "Unauthorized");
  const std::string_view origin = request.headers.get("Origin");
  // Programs send no Origin. That of a page must be this server.
  if (!options_.any_origin && !origin.empty() &&
      authority_of(origin) != request.headers.get("Host")) {
    return &kForbidden;
  }
  if (!options_.authorization.empty() &&
      request.headers.get("Authorization") != options_.authorization) {
    return &kNoUser;
  }
  return nullptr;
}

void FakeServer::serve(std::string_view route, const net::Request& request,
                       net::Responder responder, Answer answer) {
  if (const net::Response* refused = refusal(request)) return responder.send(*refused);
  const auto fault = route == "/fake/inject" ? std::nullopt : faults_.of_route(route);
  if (!fault) return responder.send((this->*answer)(request));
  switch (fault->kind) {
    case Fault::Kind::status:
      return responder.send(net::Response::text(fault->status, "A fault was asked for."));
    case Fault::Kind::lose_answer:
      static_cast<void>((this->*answer)(request));
      return keep_waiting(std::move(responder));
    case Fault::Kind::truncate: {
      net::Response response = (this->*answer)(request);
      response.body.resize(response.body.size() / 2);
      return responder.send(std::move(response));
    }
    case Fault::Kind::slow: {
      net::Response response = (this->*answer)(request);
      response.delay = fault->delay;
      return responder.send(std::move(response));
    }
    default:
      return keep_waiting(std::move(responder));
  }
}

void FakeServer::keep_waiting(net::Responder responder) {
  const std::uint64_t id = ++last_waiting_;
  if (waiting_.size() >= kMaxWaiting) waiting_.erase(waiting_.begin());
  responder.on_disconnect([this, alive = alive_, id] {
    if (*alive)
      scheduler_.post([this, alive, id] {
        if (*alive) waiting_.erase(id);
      });
  });
  waiting_.emplace(id, std::move(responder));
}

object FakeServer::status() const {
  return {{"status", {{"exec_info", {{"queue_remaining", engine_.remaining()}}}}}};
}

void FakeServer::send_to(net::WebSocket& socket, std::string_view type, const object& data) {
  socket.send_text(boost::json::serialize(object{{"type", type}, {"data", data}}));
}

// False: the event must not be sent.
bool FakeServer::count_event() {
  if (faults_.waiting(Fault::Kind::mute_socket) != nullptr) return false;
  Fault* drop = faults_.waiting(Fault::Kind::drop_socket);
  if (drop == nullptr) return true;
  if (drop->after_events-- > 0) return true;
  static_cast<void>(faults_.of_kind(Fault::Kind::drop_socket));
  drop_sockets();
  return false;
}

void FakeServer::on_event(const std::string& client_id, std::string_view type, object data) {
  if (!count_event()) return;
  const auto found = sockets_.find(client_id);
  if (found == sockets_.end()) return;
  if (faults_.of_kind(Fault::Kind::garbage_socket)) {
    found->second->send_text("{\"type\":\"progress\",\"data\":{\"value\"");
    found->second->send_text(R"({"type":"crystools.monitor","data":{"cpu_utilization":3}})");
    found->second->send_text(R"([1,2,3])");
    found->second->send_binary(std::string_view("\0\0\0\7garbage", 11));
    found->second->send_binary("abc");
  }
  send_to(*found->second, type, data);
}

void FakeServer::on_preview(const std::string& client_id, std::string message) {
  const auto found = sockets_.find(client_id);
  if (found == sockets_.end() || faults_.waiting(Fault::Kind::mute_socket) != nullptr) return;
  found->second->send_binary(message);
}

void FakeServer::on_queue_changed() {
  if (faults_.waiting(Fault::Kind::mute_socket) != nullptr) return;
  for (const auto& [sid, socket] : sockets_) send_to(*socket, "status", status());
}

void FakeServer::join(const std::string& sid, net::WebSocket& socket) {
  sockets_[sid] = &socket;  // replaces an older one of this client
  object data = status();
  data["sid"] = sid;
  send_to(socket, "status", data);
  if (auto running = engine_.executing_for(sid)) send_to(socket, "executing", *running);
}

void FakeServer::leave(const std::string& sid, const net::WebSocket& socket) {
  const auto found = sockets_.find(sid);
  if (found != sockets_.end() && found->second == &socket) sockets_.erase(found);
}

void FakeServer::drop_sockets() {
  for (const auto& [sid, socket] : std::exchange(sockets_, {})) {
    socket->close(net::close_code::kInternalError, "dropped");
  }
}

void FakeServer::add_routes(net::Router& router) {
  add(router, "GET", "/", &FakeServer::get_page);
  add(router, "POST", "/prompt", &FakeServer::post_prompt);
  add(router, "GET", "/prompt", &FakeServer::get_prompt);
  add(router, "GET", "/queue", &FakeServer::get_queue);
  add(router, "POST", "/queue", &FakeServer::post_queue);
  add(router, "GET", "/history", &FakeServer::get_history);
  add(router, "GET", "/history/{id}", &FakeServer::get_one_history);
  add(router, "POST", "/history", &FakeServer::post_history);
  add(router, "POST", "/interrupt", &FakeServer::post_interrupt);
  add(router, "POST", "/free", &FakeServer::post_free);
  add(router, "GET", "/object_info", &FakeServer::get_object_info);
  add(router, "GET", "/object_info/{class}", &FakeServer::get_one_object_info);
  add(router, "GET", "/view", &FakeServer::get_view);
  add(router, "POST", "/upload/image", &FakeServer::post_upload);
  add(router, "POST", "/upload/mask", &FakeServer::post_upload);
  add(router, "GET", "/system_stats", &FakeServer::get_system_stats);
  if (!options_.old_shapes) {
    add(router, "GET", "/models", &FakeServer::get_models);
    add(router, "GET", "/models/{folder}", &FakeServer::get_one_models);
  }
  add(router, "GET", "/experiment/models", &FakeServer::get_model_folders);
  add(router, "GET", "/experiment/models/{folder}", &FakeServer::get_model_files);
  add(router, "GET", "/embeddings", &FakeServer::get_empty_list);
  add(router, "GET", "/extensions", &FakeServer::get_empty_list);
  add(router, "GET", "/features", &FakeServer::get_features);
  add(router, "GET", "/view_metadata/{folder}", &FakeServer::get_empty_object);
  add(router, "GET", "/users", &FakeServer::get_users);
  add(router, "POST", "/fake/inject", &FakeServer::post_inject);
  net::WebSocketOptions sockets;
  sockets.max_message_bytes = kMaxSocketMessage;
  sockets.compression = false;
  const net::WebSocketAcceptor acceptor =
      [this](const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
    if (const net::Response* refused = refusal(request)) return tl::unexpected(*refused);
    if (const auto fault = faults_.of_kind(Fault::Kind::refuse_socket)) {
      return tl::unexpected(net::Response::text(fault->status, "A fault was asked for."));
    }
    std::string sid = request.query_param("clientId").value_or("").substr(0, kMaxClientId);
    if (sid.empty()) sid = core::random_hex(entropy_, 16);
    return net::AcceptedWebSocket(std::make_unique<Socket>(*this, std::move(sid)));
  };
  router.add_websocket("/ws", sockets, acceptor);
  router.add_websocket("/api/ws", sockets, acceptor);
}

}  // namespace parley::fake_comfyui
