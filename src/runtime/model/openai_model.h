// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/entropy.h"
#include "http_client/fetcher.h"
#include "runtime/model/model.h"

namespace parley::model {

// How a provider is reached. Shared by all its models.
struct OpenAiEndpoint {
  std::string provider;  // its name
  std::string base_url;  // without "/chat/completions": https://api.openai.com/v1
  std::string api_key;   // empty: none is sent. Never in a message or a log.
  std::string proxy;
  std::string ca_file;
  core::Millis connect_timeout{10'000};
  core::Millis idle_timeout{120'000};
  core::Millis total_timeout{600'000};
  std::optional<double> temperature;  // where a request names none
};

// The request headers for an endpoint, the key among them.
std::vector<std::string> endpoint_headers(const OpenAiEndpoint& endpoint);

// A model behind an OpenAI-compatible API: POST BASE_URL/chat/completions, streamed.
//
// Tries up to kMaxTries times: when the provider cannot be reached, the answer is cut off or empty,
// or the status is 408, 409, 425, 429 (unless a quota is used up) or 5xx. Between two tries it
// waits as long as Retry-After says (at most kMaxRetryDelay), else 0.5 s doubled each time, with
// some chance. Once anything was streamed it tries again only if on_retry can say that this is
// void. A provider that refuses an optional part of the request by name (stream_options,
// response_format, temperature, max_tokens) is asked again at once without it, and from then on.
class OpenAiModel final : public Model {
 public:
  // `fetcher` and `entropy` outlive it and all that it was asked.
  OpenAiModel(std::shared_ptr<const OpenAiEndpoint> endpoint, std::string name,
              std::uint64_t context_tokens, http_client::Fetcher& fetcher, core::Entropy& entropy,
              MediaKinds media = MediaKinds::all());
  ~OpenAiModel() override;

  const std::string& id() const override;
  std::uint64_t context_tokens() const override;
  MediaKinds media() const override;
  void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override;

  static constexpr int kMaxTries = 5;
  static constexpr core::Millis kMaxRetryDelay = std::chrono::seconds(30);
  static constexpr core::Millis kFirstRetryDelay{500};
  // After the end of the reply, for the end of the HTTP answer: then the connection can be kept.
  static constexpr core::Millis kLinger{250};
  // Of the whole answer with all that is around the reply.
  static constexpr std::size_t kMaxAnswerBytes = 512U << 20U;

 private:
  struct Shared;
  class Asking;
  std::shared_ptr<Shared> shared_;
};

}  // namespace parley::model
