// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/http_client/fetcher.h"
#include "runtime/model/model.h"

namespace parley::model {

// Address and settings of a provider. Shared by all its models.
struct OpenAiEndpoint {
  std::string provider;  // name of the provider
  std::string base_url;  // without "/chat/completions": https://api.openai.com/v1
  std::string api_key;   // empty: no key is sent. Never in a message or a log.
  std::string proxy;
  std::string ca_file;
  core::Millis connect_timeout{10'000};
  core::Millis idle_timeout{120'000};
  core::Millis total_timeout{600'000};
  std::optional<double> temperature;  // used if a request sets none
};

// The request headers for an endpoint, the key among them.
std::vector<std::string> endpoint_headers(const OpenAiEndpoint& endpoint);

// A model behind an OpenAI-compatible API: POST BASE_URL/chat/completions, streamed.
//
// Makes up to kMaxTries attempts: it retries if the provider cannot be reached, the answer is
// truncated, or the status is 408, 409, 425, 429 (unless a quota is used up) or 5xx. The
// delay before a retry is that of Retry-After (kFirstRetryDelay to kMaxRetryDelay), else 0.5 s
// doubled each time, with jitter. Once output was streamed it retries only if on_retry can report
// that this output is void. If a provider refuses an optional part of the request by name
// (stream_options, response_format, temperature, max_tokens), the request is sent again at once
// without that part, and so are all later ones. A refusal of a request as too long (`out_of_range`)
// lowers context_tokens() for as long as the model lives.
class OpenAiModel final : public Model {
 public:
  // `fetcher` and `entropy` must outlive the model and all its exchanges.
  OpenAiModel(std::shared_ptr<const OpenAiEndpoint> endpoint, std::string name,
              std::uint64_t context_tokens, http_client::Fetcher& fetcher, core::Entropy& entropy,
              MediaKinds media = MediaKinds::all());
  ~OpenAiModel() override;

  const std::string& id() const override;
  std::uint64_t context_tokens() const override;
  bool limit_is_learned() const override;
  MediaKinds media() const override;
  void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override;

  // Limit (Models): attempts of a request to a model. Reached: the last error.
  static constexpr int kMaxTries = 5;
  // Limit (Models): longest wait between two attempts. Reached: tried again.
  static constexpr core::Millis kMaxRetryDelay = std::chrono::seconds(30);
  // Limit (Models): first wait between two attempts. Reached: tried again.
  static constexpr core::Millis kFirstRetryDelay{500};
  // Time from the end of the reply to the end of the HTTP answer: an answer that ends within it
  // leaves the connection reusable.
  static constexpr core::Millis kLinger{250};
  // Limit of a whole HTTP answer, framing of the stream included, in bytes.
  // Limit (Models): bytes of one answer of a model. Reached: `resource_exhausted`, no retry.
  static constexpr std::size_t kMaxAnswerBytes = 512U << 20U;

 private:
  struct Shared;
  class Asking;
  std::shared_ptr<Shared> shared_;
};

}  // namespace parley::model
