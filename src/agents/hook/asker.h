// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "agents/hook/hook_options.h"
#include "agents/mcp/assistant_client.h"
#include "agents/mcp/signal_watch.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/http_client/curl_loop.h"

namespace parley::hook {

// Asks the person, and watches for whoever waits for the answer: a signal, a closed stdout or the
// end of the agent withdraws the question. One thread.
class Asker {
 public:
  // `access` is called for each attempt: a server may come back with another address. `wait`: for
  // all questions together. `signals` outlives the object.
  Asker(const mcp::SignalWatch& signals, mcp::AssistantClient::AccessSource access,
        core::Millis wait);
  ~Asker();

  // The time left, at least a second.
  core::Millis remaining() const;
  // False if no page of the person is connected and, with Somebody::any, no notification would tell
  // of a question, or the server cannot be reached; true if it does not say.
  bool has_somebody(Somebody who);
  // The reply of the person; std::nullopt: none came, and nobody waits for one any more.
  std::optional<mcp::AssistantReply> ask(mcp::AssistantCall call);
  // The reason of the last std::nullopt or false, for the log.
  const std::string& failure() const { return failure_; }

 private:
  void watch_agent();
  // `why`: for the log; `reason`: of the withdrawal, for the person.
  void stop(std::string why, std::string_view reason);

  const mcp::SignalWatch& signals_;
  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  http_client::CurlLoop loop_;
  mcp::AssistantClient::AccessSource access_;
  mcp::AssistantClient client_;
  core::MonoTime deadline_;
  pid_t parent_;
  pid_t agent_;  // 0: the agent does not say
  bool stopped_ = false;
  std::string failure_;
  std::string reason_;
};

// Sends a notice (POST /v1/notices, `body` in JSON); waits at most for kFirstAnswer. False:
// it was not taken.
bool send_notice(const mcp::ServerAccess& access, std::string body);

}  // namespace parley::hook
