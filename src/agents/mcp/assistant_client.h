// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "agents/mcp/assistant_call.h"
#include "base/core/entropy.h"
#include "base/core/limits.h"
#include "base/core/scheduler.h"
#include "base/http_client/http_client.h"

namespace parley::mcp {

// Address of the assistant server and the credentials for it. Treat the token as a secret.
struct ServerAccess {
  std::string base_url;  // without a slash at its end
  std::string token;
  std::string ca_file;
  // The source of this address, for a person: "the running server of this user". Never a secret.
  std::string origin;
  std::string proxy;  // of the settings; empty: none. That of the environment is never used.
};

// Asks the assistant server with the Connect protocol (unary, application/proto).
//
// A call is retried if the server cannot be reached, answers 502, 503 or 504, or reports that it is
// shutting down. Retries have the same ID and the same request, with growing pauses, until the
// deadline of the question. They are idempotent: a server keeps an open question, also across a
// restart (contract, decision 5). Each attempt calls `endpoint` again.
class AssistantClient final : public AssistantCalls {
 public:
  using AccessSource = absl::AnyInvocable<ServerAccess()>;

  // All references must outlive the client. Used on the scheduler's thread. A call that has never
  // reached a server ends after `first_contact`, or at its own timeout.
  AssistantClient(core::Scheduler& scheduler, core::Entropy& entropy, http_client::HttpClient& http,
                  AccessSource endpoint, core::Millis first_contact = core::limits::kMaxWait);
  ~AssistantClient() override;

  CallId start(AssistantCall call, Done done) override;
  void cancel(CallId call, std::string_view reason) override;
  std::string status(CallId call) const override;

  // Cancellations that the server has not confirmed yet.
  std::size_t cancellations() const { return cancellations_.size(); }

  // Limit (agentassistant-mcp and parley ask): answer of the server to one call. Reached: an error
  // with a sentence.
  static constexpr std::size_t kMaxAnswerBytes = 64U << 20U;
  // Time after a question's deadline in which the server's own message about it is awaited.
  static constexpr core::Millis kGrace = std::chrono::seconds(10);
  static constexpr core::Millis kFirstPause{100};
  static constexpr core::Millis kLongestPause = std::chrono::seconds(5);

 private:
  struct Call;
  struct Cancellation;

  void attempt(CallId id);
  void on_answer(CallId id, http_client::HttpAnswer answer);
  void on_success(CallId id, const std::string& body);
  void on_connect_error(CallId id, const http_client::HttpAnswer& answer);
  bool try_other_name(Call& call, const http_client::HttpAnswer& answer);
  bool try_new_endpoint(Call& call, const http_client::HttpAnswer& answer);
  void retry(CallId id, std::string why);
  void on_timeout(CallId id);
  void on_deadline(CallId id);
  void give_up_unreached(CallId id);
  void finish(CallId id, AssistantOutcome outcome);
  void send_cancellation(CallId id);
  void cancel_on_server(const Call& call, std::string_view reason);
  core::Millis pause_after(int failures);

  core::Scheduler& scheduler_;
  core::Entropy& entropy_;
  http_client::HttpClient& http_;
  AccessSource endpoint_;
  const core::Millis first_contact_;
  CallId last_id_ = 0;
  std::map<CallId, std::unique_ptr<Call>> calls_;
  std::map<CallId, std::unique_ptr<Cancellation>> cancellations_;
};

}  // namespace parley::mcp
