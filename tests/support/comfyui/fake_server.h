// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http/http.h"
#include "base/net/websocket/websocket.h"
#include "tests/support/comfyui/engine.h"
#include "tests/support/comfyui/fake_comfyui.h"
#include "tests/support/comfyui/fault.h"
#include "tests/support/comfyui/file_store.h"
#include "tests/support/comfyui/node_catalog.h"

namespace parley::fake_comfyui {

// The stand-in without its sockets: maps requests to answers and events. Belongs to one scheduler.
class FakeServer final : private EngineListener {
 public:
  FakeServer(core::Scheduler& scheduler, core::Entropy& entropy, const FakeOptions& options);
  ~FakeServer() override;
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  // Adds all routes, each also below /api. This object must outlive the router.
  void add_routes(net::Router& router);
  void inject(Fault fault);
  std::size_t sockets() const { return sockets_.size(); }

 private:
  using Answer = net::Response (FakeServer::*)(const net::Request&);
  class Socket;

  // EngineListener
  void on_event(const std::string& client_id, std::string_view type,
                boost::json::object data) override;
  void on_preview(const std::string& client_id, std::string message) override;
  void on_queue_changed() override;

  void add(net::Router& router, std::string method, const std::string& pattern, Answer answer);
  void serve(std::string_view route, const net::Request& request, net::Responder responder,
             Answer answer);
  void keep_waiting(net::Responder responder);
  const net::Response* refusal(const net::Request& request);
  boost::json::object status() const;
  void send_to(net::WebSocket& socket, std::string_view type, const boost::json::object& data);
  bool count_event();
  void join(const std::string& sid, net::WebSocket& socket);
  void leave(const std::string& sid, const net::WebSocket& socket);
  void drop_sockets();

  // fake_routes.cpp
  net::Response get_page(const net::Request& request);
  net::Response post_prompt(const net::Request& request);
  net::Response get_prompt(const net::Request& request);
  net::Response get_queue(const net::Request& request);
  net::Response post_queue(const net::Request& request);
  net::Response get_history(const net::Request& request);
  net::Response get_one_history(const net::Request& request);
  net::Response post_history(const net::Request& request);
  net::Response post_interrupt(const net::Request& request);
  net::Response post_free(const net::Request& request);
  net::Response get_object_info(const net::Request& request);
  net::Response get_one_object_info(const net::Request& request);
  net::Response get_view(const net::Request& request);
  net::Response post_upload(const net::Request& request);
  net::Response get_system_stats(const net::Request& request);
  net::Response get_models(const net::Request& request);
  net::Response get_one_models(const net::Request& request);
  net::Response get_model_folders(const net::Request& request);
  net::Response get_model_files(const net::Request& request);
  net::Response get_empty_list(const net::Request& request);
  net::Response get_empty_object(const net::Request& request);
  boost::json::object features() const;
  net::Response get_features(const net::Request& request);
  net::Response get_users(const net::Request& request);
  net::Response post_inject(const net::Request& request);

  core::Scheduler& scheduler_;
  core::Entropy& entropy_;
  const FakeOptions options_;
  FileStore files_;
  NodeCatalog catalog_;
  FaultList faults_;
  std::map<std::string, net::WebSocket*> sockets_;   // by client id
  std::map<std::uint64_t, net::Responder> waiting_;  // requests that are never answered
  std::uint64_t last_waiting_ = 0;
  double number_ = 0;
  std::size_t object_info_bytes_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Engine engine_;  // last: it calls this object
};

}  // namespace parley::fake_comfyui
