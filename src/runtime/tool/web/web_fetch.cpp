// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/web_fetch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/result.h"
#include "base/core/utf8_repair.h"
#include "base/http_client/public_address.h"
#include "base/http_client/url.h"
#include "runtime/tool/output_text.h"
#include "runtime/tool/web/html_text.h"
#include "runtime/tool/web/text_charset.h"

namespace parley::tool {

namespace {

bool is_text(std::string_view type) {
  return type.empty() || type.starts_with("text/") || type.ends_with("json") ||
         type.ends_with("xml") || type.find("javascript") != std::string_view::npos ||
         type.find("yaml") != std::string_view::npos ||
         type.find("form-url") != std::string_view::npos;
}

bool is_html(std::string_view type, std::string_view body) {
  if (type == "text/html" || type == "application/xhtml+xml") return true;
  if (!type.empty()) return false;
  const std::string head = core::lowered(body.substr(0, 512));
  return head.find("<html") != std::string::npos ||
         head.find("<!doctype html") != std::string::npos;
}

}  // namespace

std::string readable_body(std::string_view content_type, std::string_view body) {
  const std::string type =
      core::lowered(core::trimmed(content_type.substr(0, content_type.find(';'))));
  if (is_text(type)) {
    const bool markup = is_html(type, body);
    const std::string text = text_of_body(body, content_type, markup || type.ends_with("xml"));
    // Decoded text has no NUL.
    if (text.find('\0') == std::string::npos) return markup ? html_to_text(text) : text;
  }
  return "[no text: " + (type.empty() ? std::string("unknown type") : type) + ", " +
         std::to_string(body.size()) + " bytes]";
}

namespace {

using http_client::FetchEnd;
using http_client::FetchHead;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "url": {"type": "string", "description": "http or https address."},
    "method": {"type": "string", "enum": ["GET", "POST"], "description": "Default: GET."},
    "body": {"type": "string", "description": "What a POST sends."},
    "headers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Headers to send, by name."}
  },
  "required": ["url"]
})json";

constexpr core::Millis kFirstDelay{200};
constexpr core::Millis kMaxDelay{10'000};
constexpr std::size_t kMaxHeaders = 32;

// Headers that only the client itself sets.
constexpr std::array<std::string_view, 8> kOwnHeaders = {
    "host", "content-length", "transfer-encoding", "connection", "upgrade", "proxy-authorization",
    "te",   "expect"};

std::string method_of(const boost::json::object& arguments) {
  const boost::json::value* method = arguments.if_contains("method");
  if (method == nullptr || !method->is_string()) return "GET";
  std::string name = core::lowered(method->get_string());
  return name == "get" ? "GET" : name == "post" ? "POST" : std::string(method->get_string());
}

core::Result<std::vector<std::string>> headers_of(const boost::json::object& arguments) {
  std::vector<std::string> out;
  const boost::json::value* headers = arguments.if_contains("headers");
  if (headers == nullptr || headers->is_null()) return out;
  const auto refuse = [](std::string what) {
    return core::fail(core::Code::invalid_argument, "headers: " + std::move(what));
  };
  if (!headers->is_object()) return refuse("must be an object.");
  for (const auto& member : headers->get_object()) {
    const std::string name(member.key());
    if (!member.value().is_string()) return refuse(name + " must be a string.");
    const std::string own = core::lowered(name);
    if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), own) != kOwnHeaders.end()) {
      return refuse(name + " is set by the tool and cannot be given.");
    }
    out.push_back(name + ": " + std::string(member.value().get_string()));
  }
  if (out.size() > kMaxHeaders) return refuse("at most 32 are allowed.");
  return out;
}

bool is_secret_header(std::string_view header) {
  const std::string name = core::lowered(header.substr(0, header.find(':')));
  return name == "authorization" || name == "cookie" || name.find("key") != std::string::npos ||
         name.find("token") != std::string::npos;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool may_pass(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// One call: an exchange with its redirects and retries. On the context's scheduler.
class WebFetchCall : public std::enable_shared_from_this<WebFetchCall> {
 public:
  WebFetchCall(http_client::Fetcher& fetcher, Background in_background,
               const WebFetchOptions& options, ToolContext context, Tool::Done done)
      : fetcher_(fetcher),
        in_background_(std::move(in_background)),
        options_(options),
        context_(std::move(context)),
        done_(std::move(done)),
        retries_left_(options.retries) {}

  void begin(const boost::json::object& arguments) {
    auto read = read_arguments(arguments);
    if (!read) return finish(ToolResult::error(read.error().message));
    cancelled_ =
        context_.cancel.on_cancel(core::unless_gone(weak_from_this(), &WebFetchCall::on_cancel));
    if (done_) fetch();
  }

 private:
  core::Result<void> read_arguments(const boost::json::object& arguments) {
    const auto refuse = [](std::string what) {
      return core::fail(core::Code::invalid_argument, std::move(what));
    };
    const boost::json::value* url = arguments.if_contains("url");
    if (url == nullptr || !url->is_string()) return refuse("url: must be a string.");
    request_.url = std::string(url->get_string());
    request_.method = method_of(arguments);
    if (request_.method != "GET" && request_.method != "POST") {
      return refuse("method: must be GET or POST.");
    }
    if (const boost::json::value* body = arguments.if_contains("body")) {
      if (body->is_string()) request_.body = std::string(body->get_string());
    }
    if (request_.method == "GET" && !request_.body.empty()) {
      return refuse("body: is allowed only with the method POST.");
    }
    if (request_.body.size() > options_.max_request) return refuse("body: is too large.");
    PARLEY_TRY(request_.headers, headers_of(arguments));
    request_.total_timeout = options_.total_timeout;
    request_.idle_timeout = options_.idle_timeout;
    request_.max_bytes = options_.max_bytes;
    request_.proxy = options_.proxy;
    request_.ca_file = options_.ca_file;
    request_.public_only = !options_.allow_private;
    return check_address();
  }

  // Checks the URL; the fetcher checks the connection.
  core::Result<void> check_address() {
    PARLEY_TRY(const auto parts, http_client::split_url(request_.url));
    origin_ = parts.origin();
    if (options_.allow_private) return {};
    const std::optional<bool> literal = http_client::is_public_literal(parts.host);
    if (literal.value_or(!http_client::is_local_name(parts.host))) return {};
    return core::fail(core::Code::permission_denied,
                      parts.host +
                          " is an address of this computer or of a private network: "
                          "such addresses are not fetched.");
  }

  void fetch() {
    head_.reset();
    body_.clear();
    http_client::FetchEvents events;
    events.on_head = [self = shared_from_this()](const FetchHead& head) { self->head_ = head; };
    events.on_body = [self = shared_from_this()](std::string_view bytes) {
      self->body_.append(bytes);
    };
    fetcher_.fetch(request_, std::move(events), *context_.scheduler, context_.cancel,
                   [self = shared_from_this()](FetchEnd end) { self->on_end(std::move(end)); });
  }

  void on_end(FetchEnd end) {
    if (!done_) return;
    if (end.kind == FetchEnd::Kind::complete && head_) return on_answer();
    const bool again = end.kind == FetchEnd::Kind::unreachable || end.kind == FetchEnd::Kind::cut ||
                       end.kind == FetchEnd::Kind::timed_out;
    if (again && retry(kFirstDelay)) return;
    finish(ToolResult::error(request_.method + " " + request_.url + " failed: " +
                             (end.failure.empty() ? "no answer came." : end.failure)));
  }

  void on_answer() {
    if (is_redirect(head_->status)) {
      if (const auto location = head_->header("location")) return redirect(*location);
    }
    if (may_pass(head_->status) && retry(retry_after())) return;
    read_page();
  }

  // Converts the body to text on another thread, and ends the call with the text.
  void read_page() {
    reading_ = true;
    const std::string type = head_->header("content-type").value_or("");
    std::string first = "HTTP " + std::to_string(head_->status) + " " + request_.url + "\n";
    if (!type.empty()) first += "Content-Type: " + core::repaired_utf8(type) + "\n";
    const bool begun = in_background_([self = shared_from_this(), type, first = std::move(first),
                                       body = std::move(body_), failed = head_->status >= 400,
                                       max_text = options_.max_text] {
      ToolResult result = ToolResult::error("The page could not be read.");
      static_cast<void>(core::contain("page reader", [&] {
        result = {first + "\n" + cut_text(readable_body(type, body), max_text), failed, {}};
      }));
      self->post_finish(std::move(result));
    });
    if (!begun) finish(ToolResult::error("Too many calls are in progress; try again later."));
  }

  // Any thread.
  void post_finish(ToolResult result) {
    context_.scheduler->post([self = shared_from_this(), result = std::move(result)]() mutable {
      self->finish(std::move(result));
    });
  }

  void redirect(const std::string& location) {
    if (++redirects_ > options_.max_redirects) {
      return finish(ToolResult::error(request_.url + " has too many redirects."));
    }
    const auto target = http_client::resolve_url(request_.url, location);
    if (!target)
      return finish(
          ToolResult::error("The redirect cannot be followed: " + target.error().message));
    const std::string from = origin_;
    request_.url = *target;
    const core::Result<void> good = check_address();
    if (!good) {
      return finish(ToolResult::error("The redirect is not followed: " + good.error().message));
    }
    const bool keeps_method = head_->status == 307 || head_->status == 308;
    if (request_.method == "POST" && keeps_method && origin_ != from) {
      return finish(ToolResult::error("The server redirects the POST to another origin, " +
                                      origin_ + ": send the POST there if that is intended."));
    }
    if (!keeps_method) {
      request_.method = "GET";
      request_.body.clear();
    }
    if (origin_ != from) std::erase_if(request_.headers, is_secret_header);
    fetch();
  }

  core::Millis retry_after() const {
    const std::string text = head_->header("retry-after").value_or("");
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || seconds < 0 || end == text.data()) return kFirstDelay;
    return std::max(kFirstDelay, core::Millis(std::min<std::int64_t>(seconds, 3'600) * 1'000));
  }

  // False if no retry is allowed.
  bool retry(core::Millis at_least) {
    if (request_.method != "GET" || retries_left_ <= 0 || at_least > kMaxDelay) return false;
    if (context_.cancel.cancelled()) return false;
    const int created = options_.retries - retries_left_--;
    const core::Millis delay =
        std::min(kMaxDelay, std::max(at_least, kFirstDelay * (1 << created)));
    timer_ = context_.scheduler->after(delay, [self = shared_from_this()] {
      self->timer_ = 0;
      self->fetch();
    });
    return true;
  }

  // The fetcher ends a running exchange; this ends the wait for a retry, or for the text.
  void on_cancel() {
    if (timer_ == 0 && !reading_) return;
    if (timer_ != 0) context_.scheduler->cancel(std::exchange(timer_, 0));
    post_finish(ToolResult::error("The call was cancelled."));
  }

  void finish(ToolResult result) {
    if (!done_) return;
    cancelled_.reset();
    Tool::Done done = std::move(done_);
    done_ = nullptr;
    done(std::move(result));
  }

  http_client::Fetcher& fetcher_;
  const Background in_background_;
  const WebFetchOptions options_;
  const ToolContext context_;
  Tool::Done done_;
  core::CancelToken::Registration cancelled_;
  http_client::FetchRequest request_;
  std::string origin_;
  std::optional<FetchHead> head_;
  std::string body_;
  int redirects_ = 0;
  int retries_left_;
  core::TimerId timer_ = 0;
  bool reading_ = false;
};

class WebFetch final : public Tool {
 public:
  WebFetch(http_client::Fetcher& fetcher, Background in_background, WebFetchOptions options)
      : fetcher_(fetcher), in_background_(std::move(in_background)), options_(std::move(options)) {
    spec_.name = "web_fetcher";
    spec_.description =
        "Fetches a web address and gives its status and its text; HTML is made readable. Long "
        "answers are cut.";
    spec_.parameters = kParameters;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  Approval approval_for(const boost::json::object& arguments) const override {
    return method_of(arguments) == "GET" ? Approval::automatic : Approval::ask;
  }
  std::optional<ByCall> approval_by_call() const override {
    return ByCall{Approval::ask, "the method is not GET"};
  }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    auto call = std::make_shared<WebFetchCall>(fetcher_, in_background_, options_,
                                               std::move(context), std::move(done));
    scheduler.post([call, arguments = std::move(arguments)] { call->begin(arguments); });
  }

 private:
  http_client::Fetcher& fetcher_;
  Background in_background_;
  WebFetchOptions options_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_web_fetch(http_client::Fetcher& fetcher, Background in_background,
                       WebFetchOptions options) {
  return std::make_shared<WebFetch>(fetcher, std::move(in_background), std::move(options));
}

}  // namespace parley::tool
