// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/waiting_list.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/core/utf8.h"

namespace parley::desktop {
namespace {

// Bytes kept of each item: more than cards and notifications show. A question may have megabytes.
constexpr std::size_t kMaxItemText = 1'000;
constexpr std::size_t kMaxItemName = 200;

std::string beginning_of(const std::string& text, std::size_t limit) {
  return std::string(core::utf8_truncate(text, limit));
}

// `Request`: AskQuestionRequest or TaskFinishRequest. Only their texts have different names.
template <typename Request>
WaitingItem item_of(const Request& request, WaitingKind kind, const std::string& text,
                    std::int64_t asked_at) {
  return {request.id(),
          kind,
          beginning_of(text, kMaxItemText),
          beginning_of(request.request().projectdirectory(), kMaxItemName),
          beginning_of(request.request().agentname().empty() ? request.request().mcpclientname()
                                                             : request.request().agentname(),
                       kMaxItemName),
          asked_at};
}

WaitingItem question_item(const pb::AskQuestionRequest& request, std::int64_t asked_at) {
  const auto& spoken_request = request.request();
  const std::string& text = spoken_request.question().empty() && spoken_request.questions_size() > 0
                                ? spoken_request.questions(0).question()
                                : spoken_request.question();
  return item_of(request, WaitingKind::question, text, asked_at);
}

WaitingItem report_item(const pb::TaskFinishRequest& request, std::int64_t asked_at) {
  return item_of(request, WaitingKind::report, request.request().summary(), asked_at);
}

bool is_report(std::string_view name) { return name == "WorkReport" || name == "TaskFinish"; }

bool holds(const std::vector<WaitingItem>& items, const std::string& key) {
  return std::any_of(items.begin(), items.end(),
                     [&](const WaitingItem& item) { return item.key == key; });
}

}  // namespace

bool WaitingList::add(WaitingItem item) {
  if (item.key.empty() || holds(items_, item.key)) return false;
  const auto later = std::upper_bound(
      items_.begin(), items_.end(), item,
      [](const WaitingItem& one, const WaitingItem& two) { return one.asked_at < two.asked_at; });
  items_.insert(later, std::move(item));
  return true;
}

void WaitingList::remove(const std::string& key) {
  std::erase_if(items_, [&](const WaitingItem& item) { return item.key == key; });
}

std::vector<WaitingItem> WaitingList::replace(const pb::GetPendingMessagesResponse& list) {
  const std::vector<WaitingItem> before = std::exchange(items_, {});
  std::vector<WaitingItem> fresh;
  for (const pb::PendingMessage& each : list.pending_messages()) {
    WaitingItem item = is_report(each.message_type())
                           ? report_item(each.task_finish_request(), each.created_at())
                           : question_item(each.ask_question_request(), each.created_at());
    const bool known = holds(before, item.key);
    if (add(item) && !known) fresh.push_back(std::move(item));
  }
  return fresh;
}

std::vector<WaitingItem> WaitingList::apply(const pb::WebsocketMessage& message) {
  const std::string& cmd = message.cmd();
  if (cmd == "GetPendingMessages") return replace(message.getpendingmessagesresponse());
  if (cmd == "AskQuestion" || is_report(cmd)) {
    WaitingItem item =
        is_report(cmd)
            ? report_item(message.taskfinishrequest(), message.taskfinishrequest().timestamp())
            : question_item(message.askquestionrequest(), message.askquestionrequest().timestamp());
    if (add(item)) return {std::move(item)};
  } else if (cmd == "AskQuestionReplyNotification") {
    remove(message.askquestionrequest().id());
  } else if (cmd == "WorkReportReplyNotification" || cmd == "TaskFinishReplyNotification") {
    remove(message.taskfinishrequest().id());
  } else if (cmd == "RequestCancelled") {
    remove(message.requestcancellednotification().request_id());
  }
  return {};
}

}  // namespace parley::desktop
