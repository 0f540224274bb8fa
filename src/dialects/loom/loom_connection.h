// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/websocket/websocket.h"
#include "dialects/loom/loom_context.h"
#include "dialects/loom/run_watch.h"
#include "runtime/stream/event_fields.h"

namespace parley::loom {

// Parameters of a client in its opening handshake.
struct LoomCaller {
  std::string owner;  // id of its token
  std::string name;   // name of the token
  std::string token;
  auth::Rights rights;
  session::Authority authority;
};

// A client on `/loom/ws`. Serves up to LoomOptions::max_waiting requests at once; each answer has
// the id of its request. The first run moves the connection to the thread of that run's session.
// All calls are on the thread of the socket. The client's runs continue after it disconnects.
class LoomConnection final : public net::WebSocketHandler, private WatchOwner {
 public:
  LoomConnection(LoomContext& context, LoomCaller caller);
  ~LoomConnection() override;

  void on_open(net::WebSocket& socket) override;
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override;
  void on_close(net::WebSocket& socket, std::uint16_t code, std::string_view reason) override;

 private:
  // Points at the connection while it exists; used on its thread only.
  using Link = std::shared_ptr<LoomConnection*>;
  using Handler = void (LoomConnection::*)(const std::string& id, runtime::EventFields& in);
  struct Wanted;  // a run to be started
  struct Row {
    std::string_view type;
    Handler handle;
  };
  static const Row* find_row(std::string_view type);

  // WatchOwner:
  void show(std::string_view message) override { send(message); }
  std::size_t queued() const override;
  void on_watch_end(RunWatch& watch, std::string message) override;
  void on_leave_required(session::LeaveReason reason) override;

  void take(std::string_view data);
  bool still_allowed();
  // Watches the token on this thread from now on.
  void watch_token();
  void unwatch_token();
  void send(std::string_view text);
  void refuse(std::string_view id, std::string_view error);
  // Answers the fault of a request, if any. True: there was one.
  bool refused(const std::string& id, runtime::EventFields& in);
  void close(std::uint16_t code, std::string_view reason);
  void cut_link();
  core::Scheduler& scheduler() { return socket_->scheduler(); }

  // Makes a callback that calls `use` with this and the result, unless the connection has closed.
  // Counts to `waiting_` until then.
  template <typename T, typename Use>
  absl::AnyInvocable<void(core::Result<T>)> answering(Use use);
  // Like the other overload, but an error is answered with "NAME: message" instead of calling
  // `use`.
  template <typename T, typename Use>
  absl::AnyInvocable<void(core::Result<T>)> answering(std::string id, std::string name, Use use);

  // --- runs (loom_connection.cpp) ---------------------------------------------------------------
  void run(const std::string& id, runtime::EventFields& in);
  std::unique_ptr<Wanted> read_run(const std::string& id, runtime::EventFields& in);
  bool may_watch(const std::string& id);
  void begin(std::unique_ptr<Wanted> wanted);
  void start(const std::shared_ptr<RunWatch>& watch, std::unique_ptr<Wanted> wanted);
  void drop(RunWatch& watch, const core::Error& error);
  void attach(const std::string& id, runtime::EventFields& in);
  void attach_to(const std::string& id, const run::Run& run, std::uint64_t after);
  std::shared_ptr<RunWatch> add_watch(RunWatch::Target target);
  std::string run_id_of(const std::string& id) const;
  void cancel_run(const std::string& id, runtime::EventFields& in);
  void approve(const std::string& id, runtime::EventFields& in);

  // --- other requests (loom_requests.cpp) -------------------------------------------------------
  void ping(const std::string& id, runtime::EventFields& in);
  void tools_list(const std::string& id, runtime::EventFields& in);
  void tool_show(const std::string& id, runtime::EventFields& in);
  void user_messages(const std::string& id, runtime::EventFields& in);
  void agent_list(const std::string& id, runtime::EventFields& in);
  void list_models(const std::string& id, runtime::EventFields& in);
  void set_model(const std::string& id, runtime::EventFields& in);
  WorkspaceStore* workspaces(const std::string& id);
  void workspace_list(const std::string& id, runtime::EventFields& in);
  void workspace_create(const std::string& id, runtime::EventFields& in);
  void workspace_rename(const std::string& id, runtime::EventFields& in);
  void workspace_thread_list(const std::string& id, runtime::EventFields& in);
  void workspace_thread_add(const std::string& id, runtime::EventFields& in);
  void workspace_thread_remove(const std::string& id, runtime::EventFields& in);

  LoomContext& context_;
  LoomCaller caller_;
  net::WebSocket* socket_ = nullptr;  // null: closed
  Link link_;
  auth::TokenWatch token_watch_;
  std::shared_ptr<bool> watching_;                            // false after unwatch_token()
  std::map<std::string, std::shared_ptr<RunWatch>> watches_;  // key: the id of their messages
  std::string model_;        // for this connection's runs that name no model
  std::size_t waiting_ = 0;  // requests whose answers are pending
  bool moved_ = false;
  bool moving_ = false;
  std::vector<std::string> carried_;  // requests received while the connection moved
  std::vector<core::JsonField> fields_;
  std::vector<core::JsonField> unused_;
};

template <typename T, typename Use>
absl::AnyInvocable<void(core::Result<T>)> LoomConnection::answering(Use use) {
  ++waiting_;
  return [link = link_, use = std::move(use)](core::Result<T> result) mutable {
    if (*link == nullptr) return;
    LoomConnection& self = **link;
    --self.waiting_;
    use(self, std::move(result));
  };
}

template <typename T, typename Use>
absl::AnyInvocable<void(core::Result<T>)> LoomConnection::answering(std::string id,
                                                                    std::string name, Use use) {
  return answering<T>([id = std::move(id), name = std::move(name), use = std::move(use)](
                          LoomConnection& self, core::Result<T> result) mutable {
    if (!result) return self.refuse(id, name + ": " + result.error().message);
    use(self, std::move(result));
  });
}

}  // namespace parley::loom
