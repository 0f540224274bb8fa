// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_model.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/secret_text.h"
#include "runtime/model/completion_stream.h"
#include "runtime/model/context.h"
#include "runtime/model/openai_failure.h"
#include "runtime/model/openai_request.h"

namespace parley::model {
namespace {

using core::Code;
using http_client::FetchEnd;

constexpr std::size_t kMaxErrorBody = 64U << 10U;
constexpr std::string_view kSetContextTokens =
    " (Set context_tokens of the provider to the limit of its models: conversations are shortened "
    "to fit it.)";

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 256)) {
    if (c > 0x20 && c < 0x7f) out += c;
  }
  return out;
}

}  // namespace

// State that the model and all its exchanges share. Thread-safe.
struct OpenAiModel::Shared {
  Shared(std::shared_ptr<const OpenAiEndpoint> to, std::string model, std::uint64_t tokens,
         http_client::Fetcher& with, core::Entropy& chance, MediaKinds takes)
      : endpoint(std::move(to)),
        name(std::move(model)),
        id(endpoint->provider + "/" + name),
        media(takes),
        fetcher(with),
        entropy(chance),
        context_tokens_(tokens) {}

  std::shared_ptr<const OpenAiEndpoint> endpoint;
  std::string name;
  std::string id;
  MediaKinds media;
  http_client::Fetcher& fetcher;
  core::Entropy& entropy;

  OpenAiDialect dialect() {
    const std::scoped_lock lock(mutex_);
    return dialect_;
  }
  // True if the refusal names an optional part of the request; that part is left out from now on.
  bool adapt(std::string_view refusal, const ModelRequest& request, const OpenAiDialect& sent) {
    const std::scoped_lock lock(mutex_);
    const auto names = [refusal](std::string_view part) {
      return refusal.find(part) != std::string_view::npos;
    };
    if (!sent.no_stream_options && names("stream_options"))
      return dialect_.no_stream_options = true;
    if (!sent.no_response_format && request.json_only && names("response_format")) {
      return dialect_.no_response_format = true;
    }
    if (!sent.max_completion_tokens && request.max_tokens && names("max_completion_tokens")) {
      return dialect_.max_completion_tokens = true;
    }
    if (!sent.no_temperature && request.temperature && names("temperature")) {
      return dialect_.no_temperature = true;
    }
    return false;
  }

  std::uint64_t context_tokens() const {
    const std::scoped_lock lock(mutex_);
    return context_tokens_;
  }
  bool limit_is_learned() const {
    const std::scoped_lock lock(mutex_);
    return limit_is_learned_;
  }
  // Lowers the limit after a request was refused as too long: to the limit that the refusal tells
  // if it makes the messages shorter by this room's estimate and leaves some of them, else so that
  // half of the messages fit.
  void learn_limit(std::string_view refusal, const ModelRequest& request) {
    ContextSettings settings;
    settings.tools_tokens = estimate_tokens(request.tools);
    const std::uint64_t size = estimate_tokens(request.messages);
    const std::uint64_t told = context_limit_in(refusal).value_or(1);
    const std::uint64_t room = context_room(told, settings);
    const bool may_use = room < size && room >= size / 8 && room > 0;
    const std::uint64_t limit = may_use ? told : limit_for_room(size / 2, settings);
    const std::scoped_lock lock(mutex_);
    if (context_tokens_ != 0 && limit >= context_tokens_) return;
    context_tokens_ = limit;
    limit_is_learned_ = true;
  }

  mutable std::mutex mutex_;  // guards the members below
  OpenAiDialect dialect_ = {};
  std::uint64_t context_tokens_ = 0;
  bool limit_is_learned_ = false;
};

// One ask() with its attempts, one after the other. Lives until `done` was called.
class OpenAiModel::Asking : public std::enable_shared_from_this<Asking> {
 public:
  Asking(std::shared_ptr<Shared> shared, ModelRequest request, ModelEvents events,
         core::Scheduler& scheduler, const core::CancelToken& cancel, Done done)
      : shared_(std::move(shared)),
        request_(std::move(request)),
        events_(std::move(events)),
        scheduler_(scheduler),
        cancel_(cancel),
        done_(std::move(done)) {
    if (!request_.temperature) request_.temperature = shared_->endpoint->temperature;
  }

  void begin_try();

 private:
  http_client::FetchRequest http_request();
  void take_head(const http_client::FetchHead& head);
  void take_body(std::string_view bytes);
  void linger();
  void end_try(const FetchEnd& end);
  void end_reply(const FetchEnd& end);
  void end_refused();
  void fail_or_retry(core::Error error, bool temporary);
  void wait_and_retry(const core::Error& error);
  core::Millis delay_of_try();
  void finish(core::Result<ModelReply> result);

  std::shared_ptr<Shared> shared_;
  ModelRequest request_;
  ModelEvents events_;
  core::Scheduler& scheduler_;
  core::CancelToken cancel_;
  Done done_;
  core::CancelToken::Registration waiting_;  // while waiting for the next attempt
  core::TimerId timer_ = 0;
  int tries_ = 0;

  // State of one attempt.
  OpenAiDialect dialect_;
  std::optional<core::CancelSource> stop_;
  std::unique_ptr<CompletionStream> stream_;
  int status_ = 0;
  std::optional<core::Millis> retry_after_;
  std::string refusal_;
  bool enough_ = false;
};

void OpenAiModel::Asking::begin_try() {
  ++tries_;
  dialect_ = shared_->dialect();
  status_ = 0;
  retry_after_.reset();
  refusal_.clear();
  enough_ = false;
  stop_.emplace(cancel_);
  const auto self = shared_from_this();
  stream_ = std::make_unique<CompletionStream>(
      events_, [shared = shared_] { return "call_" + core::random_hex(shared->entropy, 12); });
  http_client::FetchEvents events;
  events.on_head = [self](const http_client::FetchHead& head) { self->take_head(head); };
  events.on_body = [self](std::string_view bytes) { self->take_body(bytes); };
  shared_->fetcher.fetch(http_request(), std::move(events), scheduler_, stop_->token(),
                         [self](const FetchEnd& end) { self->end_try(end); });
}

http_client::FetchRequest OpenAiModel::Asking::http_request() {
  const OpenAiEndpoint& endpoint = *shared_->endpoint;
  http_client::FetchRequest out;
  out.method = "POST";
  out.url = endpoint.base_url + "/chat/completions";
  out.headers = endpoint_headers(endpoint);
  out.headers.emplace_back("Content-Type: application/json");
  out.headers.emplace_back("Accept: text/event-stream, application/json");
  // A compressing proxy would delay the stream.
  out.headers.emplace_back("Accept-Encoding: identity");
  out.headers.push_back("X-Request-Id: " + core::new_id(scheduler_.clock(), shared_->entropy));
  if (const std::string thread = printable(request_.thread_id); !thread.empty()) {
    out.headers.push_back("X-Thread-Id: " + thread);
  }
  out.body = openai_request(shared_->name, request_, dialect_);
  out.connect_timeout = endpoint.connect_timeout;
  out.idle_timeout = endpoint.idle_timeout;
  out.total_timeout = endpoint.total_timeout;
  out.max_bytes = kMaxAnswerBytes;
  out.proxy = endpoint.proxy;
  out.ca_file = endpoint.ca_file;
  return out;
}

void OpenAiModel::Asking::take_head(const http_client::FetchHead& head) {
  status_ = head.status;
  const core::WallTime now = scheduler_.clock().wall();
  if (const auto value = head.header("retry-after")) retry_after_ = read_retry_after(*value, now);
}

void OpenAiModel::Asking::take_body(std::string_view bytes) {
  if (status_ < 200 || status_ > 299) {
    refusal_ += bytes.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, refusal_.size()));
    return;
  }
  if (enough_ || stream_->feed(bytes)) return;
  enough_ = true;
  if (stream_->failed()) return stop_->cancel("The reply cannot be used.");
  linger();
}

// The reply is complete. Waits a short time for the end of the HTTP answer, then ends it.
void OpenAiModel::Asking::linger() {
  timer_ = scheduler_.after(kLinger, core::unless_gone(weak_from_this(), [](Asking& self) {
                              if (!self.enough_) return;
                              self.timer_ = 0;
                              self.stop_->cancel("The reply is complete.");
                            }));
}

void OpenAiModel::Asking::end_try(const FetchEnd& end) {
  scheduler_.cancel(std::exchange(timer_, 0));
  if (cancel_.cancelled()) return finish(core::fail(Code::cancelled, "The model was stopped."));
  if (!enough_ && end.kind == FetchEnd::Kind::timed_out) {
    return fail_or_retry({Code::deadline_exceeded, end.failure}, false);
  }
  if (!enough_ && end.kind == FetchEnd::Kind::unreachable) {
    return fail_or_retry({Code::unavailable, end.failure}, true);
  }
  if (!enough_ && end.kind == FetchEnd::Kind::invalid) {
    return fail_or_retry({Code::invalid_argument, end.failure}, false);
  }
  if (status_ == 0) {
    return fail_or_retry(
        {Code::unavailable, "The provider closed the connection without an answer."}, true);
  }
  if (status_ < 200 || status_ > 299) return end_refused();
  end_reply(end);
}

void OpenAiModel::Asking::end_reply(const FetchEnd& end) {
  auto reply = stream_->finish(enough_ || end.kind == FetchEnd::Kind::complete);
  if (!reply && !enough_ && end.kind == FetchEnd::Kind::too_large) {
    return fail_or_retry({Code::resource_exhausted, end.failure}, false);
  }
  if (!reply) return fail_or_retry(std::move(reply.error()), stream_->temporary());
  finish(std::move(*reply));
}

void OpenAiModel::Asking::end_refused() {
  // Does not count as an attempt: each part is left out only once.
  const bool request_fault = status_ == 400 || status_ == 422;
  if (request_fault && shared_->adapt(refusal_, request_, dialect_)) {
    --tries_;
    return begin_try();
  }
  ProviderFailure failure = failure_of(status_, refusal_);
  fail_or_retry(std::move(failure.error), failure.temporary);
}

void OpenAiModel::Asking::fail_or_retry(core::Error error, bool temporary) {
  const OpenAiEndpoint& endpoint = *shared_->endpoint;
  if (error.code == Code::out_of_range) {
    shared_->learn_limit(error.message, request_);
    error.message += kSetContextTokens;
  }
  error.message =
      endpoint.provider + ": " + core::without_secret(std::move(error.message), endpoint.api_key);
  const bool may_be_void = !stream_->streamed() || events_.on_retry;
  if (!temporary || tries_ >= kMaxTries || !may_be_void) {
    return finish(tl::unexpected<core::Error>(std::move(error)));
  }
  wait_and_retry(error);
}

core::Millis OpenAiModel::Asking::delay_of_try() {
  if (retry_after_) return std::clamp(*retry_after_, kFirstRetryDelay, kMaxRetryDelay);
  const core::Millis whole = kFirstRetryDelay * (1LL << (tries_ - 1));
  // Random delay between three quarters and all of it, so that clients that failed together do not
  // retry together.
  const auto quarter = static_cast<std::uint64_t>(whole.count() / 4);
  const std::uint64_t less = shared_->entropy.next_u64() % (quarter + 1);
  return std::min(whole - core::Millis(static_cast<std::int64_t>(less)), kMaxRetryDelay);
}

void OpenAiModel::Asking::wait_and_retry(const core::Error& error) {
  const core::Millis delay = delay_of_try();
  if (events_.on_retry) events_.on_retry(error, delay);
  if (cancel_.cancelled()) return finish(core::fail(Code::cancelled, "The model was stopped."));
  const auto self = shared_from_this();
  timer_ = scheduler_.after(delay, [self] {
    self->timer_ = 0;
    self->waiting_.reset();
    self->begin_try();
  });
  waiting_ = cancel_.on_cancel(core::unless_gone(weak_from_this(), [](Asking& asking) {
    if (asking.timer_ == 0) return;
    asking.scheduler_.cancel(std::exchange(asking.timer_, 0));
    asking.scheduler_.post([kept = asking.shared_from_this()] {
      kept->finish(core::fail(Code::cancelled, "The model was stopped."));
    });
  }));
}

void OpenAiModel::Asking::finish(core::Result<ModelReply> result) {
  waiting_.reset();
  Done done = std::move(done_);
  events_ = {};
  done(std::move(result));
}

std::vector<std::string> endpoint_headers(const OpenAiEndpoint& endpoint) {
  std::vector<std::string> headers = {"X-App-Id: parley"};
  if (!endpoint.api_key.empty()) headers.push_back("Authorization: Bearer " + endpoint.api_key);
  return headers;
}

OpenAiModel::OpenAiModel(std::shared_ptr<const OpenAiEndpoint> endpoint, std::string name,
                         std::uint64_t context_tokens, http_client::Fetcher& fetcher,
                         core::Entropy& entropy, MediaKinds media)
    : shared_(std::make_shared<Shared>(std::move(endpoint), std::move(name), context_tokens,
                                       fetcher, entropy, media)) {}

OpenAiModel::~OpenAiModel() = default;

const std::string& OpenAiModel::id() const { return shared_->id; }
std::uint64_t OpenAiModel::context_tokens() const { return shared_->context_tokens(); }
bool OpenAiModel::limit_is_learned() const { return shared_->limit_is_learned(); }
MediaKinds OpenAiModel::media() const { return shared_->media; }

void OpenAiModel::ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
                      const core::CancelToken& cancel, Done done) {
  std::make_shared<Asking>(shared_, std::move(request), std::move(events), scheduler, cancel,
                           std::move(done))
      ->begin_try();
}

}  // namespace parley::model
