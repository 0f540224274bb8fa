// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/server/server_registry.h"

namespace parley::comfyui {

using ClassMap = std::map<std::string, NodeClass>;
using NodeList = std::shared_ptr<const std::vector<NodeSummary>>;

// The ComfyUI server of one run, shared by its tools. Everything but the constructor belongs to the
// scheduler of the run. `done` of each call is called there once, later; no callback runs after the
// link is destroyed, so callers that wait must hold it.
class ServerLink {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  ServerLink(const ComfyDependencies& dependencies, ServerPtr server);

  const ComfyServer& server() const { return *server_; }
  EventSockets& sockets() const { return dependencies_.sockets; }
  // Created at the first call.
  ComfyClient& client(core::Scheduler& home);

  // The requested classes that the server has. Errors: `deadline_exceeded` after `patience`; else
  // those of ComfyClient.
  void node_classes(std::vector<std::string> names, core::Millis patience, core::Scheduler& home,
                    const core::CancelToken& cancel, Done<ClassMap> done);
  // The error of the last node_classes() if it is younger than kFailureRest, so that not every edit
  // waits for a server that does not answer.
  std::optional<core::Error> recent_failure(core::Scheduler& home) const;
  // The list of all classes, cached for kListAge because it has megabytes.
  void node_list(core::Scheduler& home, const core::CancelToken& cancel, Done<NodeList> done);

  // URL path of a server's file for people: a route of the chat, which requires their token.
  std::string view_url(const OutputFile& file) const;

  // Limit (ComfyUI servers and their tools): age of the list of `comfyui_nodes`. Reached: read
  // again.
  static constexpr core::Millis kListAge{60'000};
  // Limit (ComfyUI servers and their tools): time without a wait for classes after a failure.
  // Reached: the edit is made unchecked and says so.
  static constexpr core::Millis kFailureRest{15'000};

 private:
  const ComfyDependencies dependencies_;
  const ServerPtr server_;
  std::shared_ptr<ComfyClient> client_;
  core::Scheduler* home_ = nullptr;
  NodeList list_;
  core::MonoTime listed_at_;
  std::optional<core::Error> failure_;  // of the last node_classes()
  core::MonoTime failed_at_;
};
using ServerLinkPtr = std::shared_ptr<ServerLink>;

}  // namespace parley::comfyui
