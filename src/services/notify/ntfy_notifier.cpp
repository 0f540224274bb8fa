// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/ntfy_notifier.h"

#include <algorithm>
#include <utility>

#include "base/core/base64.h"
#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/core/result.h"
#include "base/http_client/url.h"
#include "services/notify/http_delivery.h"

namespace parley::notify {
namespace {

void write_action(core::JsonWriter& json, std::string_view action, std::string_view label,
                  const std::string& url) {
  json.begin_object().key("action").string(action).key("label").string(label);
  json.key("url").string(url);
  if (action == "http") json.key("method").string("POST").key("clear").boolean(true);
  json.end_object();
}

class NtfyNotifier final : public Notifier {
 public:
  NtfyNotifier(NtfySettings settings, std::string server, std::string topic, std::string host,
               bool may_be_private_host, Language language, http_client::Fetcher& fetcher,
               core::Scheduler& scheduler)
      : settings_(std::move(settings)),
        server_(std::move(server)),
        topic_(std::move(topic)),
        host_(std::move(host)),
        private_(may_be_private_host),
        language_(language),
        fetcher_(fetcher),
        scheduler_(scheduler) {}

  const std::string& name() const override { return settings_.name; }
  std::string_view kind() const override { return "ntfy"; }
  std::string destination() const override { return host_; }

  void deliver(const Notice& notice, const std::string&, Done done) override {
    http_client::FetchRequest request;
    request.url = server_;
    request.headers = {"Content-Type: application/json"};
    if (!settings_.token.empty()) {
      request.headers.push_back("Authorization: Bearer " + settings_.token);
    } else if (!settings_.user.empty()) {
      request.headers.push_back("Authorization: Basic " +
                                core::base64_encode(settings_.user + ":" + settings_.password));
    }
    request.body = message(notice);
    request.public_only = !private_;
    deliver_by_http(fetcher_, scheduler_, std::move(request),
                    [done = std::move(done)](Delivery delivery) mutable {
                      // A topic that is missing today may be there tomorrow.
                      if (delivery.kind == Delivery::Kind::gone) {
                        delivery.kind = Delivery::Kind::failed;
                      }
                      done(std::move(delivery));
                    });
  }

 private:
  std::string message(const Notice& notice) const {
    return core::json_object([&](core::JsonWriter& json) {
      json.key("topic").string(topic_).key("title").string(notice.title);
      json.key("message").string(notice.body.empty() ? notice.title : notice.body);
      json.key("priority").number(settings_.priority);
      json.key("tags").begin_array().string(tag(notice.kind)).end_array();
      json.key("click").string(notice.page_url());
      json.key("actions").begin_array();
      const bool all = notice.options.size() <= kMaxNtfyActions;
      for (const NoticeOption& option : notice.options) {
        if (all) write_action(json, "http", option.label, notice.base + option.path);
      }
      const bool has_room = !all || notice.options.size() < kMaxNtfyActions;
      if (has_room && !notice.write_path.empty()) {
        write_action(json, "view", language_ == Language::chinese ? "回答…" : "Answer…",
                     notice.write_url());
      }
      json.end_array();
    });
  }

  static std::string_view tag(NoticeKind kind) {
    if (kind == NoticeKind::question) return "question";
    return kind == NoticeKind::task_finish ? "white_check_mark" : "bell";
  }

  const NtfySettings settings_;
  const std::string server_;
  const std::string topic_;
  const std::string host_;
  const bool private_;
  const Language language_;
  http_client::Fetcher& fetcher_;
  core::Scheduler& scheduler_;
};

}  // namespace

core::Result<std::unique_ptr<Notifier>> make_ntfy_notifier(
    NtfySettings settings, const std::vector<std::string>& private_hosts, Language language,
    http_client::Fetcher& fetcher, core::Scheduler& scheduler) {
  PARLEY_TRY(const http_client::UrlParts parts, http_client::split_url(settings.url));
  while (settings.url.ends_with('/')) settings.url.pop_back();
  const std::size_t slash = settings.url.rfind('/');
  const std::string server = settings.url.substr(0, slash + 1);
  const std::optional<std::string> topic = core::percent_decoded(settings.url.substr(slash + 1));
  // The slash must be that of the path: "https://ntfy.sh/TOPIC" and not "https://ntfy.sh".
  if (server.ends_with("//") || !topic || topic->empty()) {
    return core::fail(core::Code::invalid_argument,
                      "The URL must name a topic, for example https://ntfy.sh/my-topic.", "url");
  }
  const bool allowed = may_be_private(parts.host, private_hosts);
  return std::make_unique<NtfyNotifier>(std::move(settings), server, *topic, parts.host, allowed,
                                        language, fetcher, scheduler);
}

}  // namespace parley::notify
