// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_http.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/core/utf8_repair.h"
#include "runtime/model/sse_reader.h"

namespace parley::tool {
namespace {

using http_client::FetchEnd;
using http_client::FetchHead;

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr core::Millis kHours = std::chrono::hours(24);
constexpr core::Millis kConnectTimeout{10'000};
constexpr core::Millis kFirstPause{1'000};
constexpr core::Millis kLongestPause{60'000};
constexpr std::size_t kMaxShownFailure = 500;

bool has_type(const FetchHead& head, std::string_view type) {
  return head.header("content-type").value_or("").starts_with(type);
}

// One exchange; its body is parsed by the content type of the answer.
struct Answer {
  std::int64_t request = 0;
  bool is_first = false;  // the answer whose session id counts
  std::optional<FetchHead> head;
  std::string body;
  std::optional<model::SseReader> events;
};

class McpHttp final : public McpTransport {
 public:
  McpHttp(const McpServerConfig& config, http_client::Fetcher& fetcher, core::Scheduler& home,
          core::CancelToken life)
      : url_(config.url), fetcher_(fetcher), home_(home), life_(std::move(life)) {
    for (const auto& [name, value] : config.headers) {
      headers_.emplace_back(name).append(": ").append(value);
    }
  }
  ~McpHttp() override { end(); }

  void open(Events events) override { events_ = std::move(events); }

  void send(std::string json, std::int64_t request) override {
    auto answer = std::make_shared<Answer>();
    answer->request = request;
    answer->is_first = !std::exchange(sent_any_, true);
    http_client::FetchRequest post = request_of("POST");
    post.headers.emplace_back("Content-Type: application/json");
    post.headers.emplace_back("Accept: application/json, text/event-stream");
    post.body = std::move(json);
    begin(std::move(post), answer, [this, answer](const FetchEnd& end) { on_end(*answer, end); });
  }

  void drop(std::int64_t request) override {
    const auto found = requests_.extract(request);
    if (!found.empty()) found.mapped().cancel("The answer is no longer needed.");
  }

  void agreed(const std::string& protocol_version) override {
    version_ = protocol_version;
    listen();
  }

  void close() override {
    if (!*alive_) return;
    if (!session_.empty() && !life_.cancelled()) {
      // Asks the server to drop the session; the answer is ignored.
      http_client::FetchRequest farewell = request_of("DELETE");
      farewell.total_timeout = kConnectTimeout;
      fetcher_.fetch(std::move(farewell), {}, home_, life_, [](FetchEnd) {});
    }
    end();
  }

 private:
  using Ended = std::function<void(const FetchEnd& end)>;

  void end() {
    *alive_ = false;
    home_.cancel(std::exchange(pause_timer_, 0));
    cancel_.cancel("The connection to the MCP server is closed.");
  }

  http_client::FetchRequest request_of(std::string method) const {
    http_client::FetchRequest request;
    request.method = std::move(method);
    request.url = url_;
    request.headers = headers_;
    if (!session_.empty()) {
      request.headers.push_back(std::string(kSessionHeader) + ": " + session_);
    }
    if (!version_.empty()) request.headers.push_back("MCP-Protocol-Version: " + version_);
    request.connect_timeout = kConnectTimeout;
    // The client has its own deadlines, which progress extends.
    request.idle_timeout = kHours;
    request.total_timeout = kHours;
    request.max_bytes = std::size_t{1} << 30U;
    return request;
  }

  void begin(http_client::FetchRequest request, const std::shared_ptr<Answer>& answer,
             Ended ended) {
    http_client::FetchEvents events;
    events.on_head = [this, alive = alive_, answer](const FetchHead& head) {
      if (*alive) on_head(*answer, head);
    };
    events.on_body = [this, alive = alive_, answer](std::string_view bytes) {
      if (*alive) on_body(*answer, bytes);
    };
    fetcher_.fetch(std::move(request), std::move(events), home_, token_of(answer->request),
                   [alive = alive_, answer, ended = std::move(ended)](const FetchEnd& end) {
                     if (*alive) ended(end);
                   });
  }

  // Cancellation of this exchange: the end of the transport, or of the wait for this answer.
  core::CancelToken token_of(std::int64_t request) {
    if (request == 0) return cancel_.token();
    return requests_.try_emplace(request, cancel_.token()).first->second.token();
  }

  void on_head(Answer& answer, const FetchHead& head) {
    answer.head = head;
    if (answer.is_first) {
      if (auto session = head.header("mcp-session-id")) session_ = std::move(*session);
    }
    if (head.status == 200 && has_type(head, "text/event-stream")) {
      answer.events.emplace([this, alive = alive_](std::string_view, std::string_view data) {
        if (*alive && !data.empty()) events_.on_message(data);
      });
    }
  }

  void on_body(Answer& answer, std::string_view bytes) {
    if (answer.events) {
      static_cast<void>(answer.events->feed(bytes));
    } else if (answer.body.size() + bytes.size() <= kMaxMcpMessage) {
      answer.body.append(bytes);
    }
  }

  void on_end(Answer& answer, const FetchEnd& end) {
    requests_.erase(answer.request);
    const std::shared_ptr<bool> alive = alive_;
    if (!answer.head) return lost(answer, end.failure);
    const int status = answer.head->status;
    if (forgot_session(answer)) return closed("it no longer knows the session");
    if (status < 200 || status >= 300) {
      std::string text =
          core::repaired_utf8(std::string_view(answer.body).substr(0, kMaxShownFailure));
      return lost(answer, "HTTP " + std::to_string(status) + (text.empty() ? "" : ": ") + text);
    }
    if (answer.events) {
      answer.events->finish();
    } else if (!answer.body.empty() && end.kind == FetchEnd::Kind::complete) {
      events_.on_message(answer.body);
    }
    // A no-op if the request was answered.
    if (*alive) {
      lost(answer, end.failure.empty() ? "the answer had no JSON-RPC response" : end.failure);
    }
  }

  // 404 by the protocol; some servers send 400 and name the session in the text.
  bool forgot_session(const Answer& answer) const {
    if (session_.empty() || answer.is_first) return false;
    const int status = answer.head->status;
    return status == 404 || (status == 400 && answer.body.find("ession") != std::string::npos);
  }

  void lost(const Answer& answer, const std::string& why) {
    if (answer.request != 0) events_.on_lost(answer.request, why);
  }

  void closed(const std::string& why) {
    const auto on_closed = events_.on_closed;
    end();
    on_closed(why);
  }

  // Receives messages outside of answers. A server without such a stream answers 405.
  void listen() {
    auto answer = std::make_shared<Answer>();
    http_client::FetchRequest get = request_of("GET");
    get.headers.emplace_back("Accept: text/event-stream");
    begin(std::move(get), answer, [this, answer](const FetchEnd&) {
      const int status = answer->head ? answer->head->status : 0;
      if (status == 404 && !session_.empty()) return closed("it no longer knows the session");
      const bool was_stream = answer->events.has_value();
      if (status >= 400 || (status != 0 && !was_stream)) return;
      pause_ = was_stream ? kFirstPause : std::min(kLongestPause, pause_ * 2);
      pause_timer_ = home_.after(pause_, [this] {
        pause_timer_ = 0;
        listen();
      });
    });
  }

  const std::string url_;
  std::vector<std::string> headers_;
  http_client::Fetcher& fetcher_;
  core::Scheduler& home_;
  const core::CancelToken life_;
  Events events_;
  std::string session_;
  std::string version_;
  bool sent_any_ = false;
  core::Millis pause_ = kFirstPause;
  core::TimerId pause_timer_ = 0;
  core::CancelSource cancel_;
  std::map<std::int64_t, core::CancelSource> requests_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<McpTransport> make_mcp_http(const McpServerConfig& config,
                                            http_client::Fetcher& fetcher, core::Scheduler& home,
                                            const core::CancelToken& life) {
  return std::make_unique<McpHttp>(config, fetcher, home, life);
}

}  // namespace parley::tool
