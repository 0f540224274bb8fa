// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/request_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace parley::external_agent {
namespace {

constexpr std::string_view kPrefix = "\"r-";
constexpr std::size_t kMaxSpare = 64;

}  // namespace

Request& RequestTable::add(std::uint64_t number, MessageKind kind, std::shared_ptr<Member> agent,
                           std::string_view id, core::MonoTime deadline) {
  if (expects_reply(kind)) {
    ++waiting_;
  } else if (order_.size() - waiting_ >= kMaxSilent) {
    recycle(std::find_if(order_.begin(), order_.end(),
                         [](const Request& request) { return !expects_reply(request.kind); }));
  }
  if (spare_.empty()) spare_.emplace_back();
  order_.splice(order_.end(), spare_, spare_.begin());
  Request& request = order_.back();
  request.number = number;
  request.kind = kind;
  request.agent = std::move(agent);
  request.id = id;
  request.study.clear();
  request.reason.clear();
  request.deadline = deadline;
  by_number_[number] = std::prev(order_.end());
  return request;
}

Request* RequestTable::find(std::uint64_t number) {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : &*found->second;
}

Request* RequestTable::oldest(MessageKind reply) {
  const auto found = std::find_if(order_.begin(), order_.end(), [reply](const Request& request) {
    return expects_reply(request.kind) && answers(reply, request.kind);
  });
  return found == order_.end() ? nullptr : &*found;
}

void RequestTable::remove(const Request& request) {
  const auto found = by_number_.find(request.number);
  if (found != by_number_.end()) recycle(found->second);
}

void RequestTable::recycle(std::list<Request>::iterator at) {
  if (expects_reply(at->kind)) --waiting_;
  by_number_.erase(at->number);
  at->agent.reset();
  if (spare_.size() >= kMaxSpare) {
    order_.erase(at);
    return;
  }
  spare_.splice(spare_.begin(), order_, at);
}

void RequestTable::remove_of(const Member& agent) {
  for (auto at = order_.begin(); at != order_.end();) {
    const auto here = at++;
    const bool ends_study = here->kind == MessageKind::session_end && !here->study.empty();
    if (here->agent.get() == &agent && !ends_study) recycle(here);
  }
}

std::list<Request> RequestTable::take_all() {
  by_number_.clear();
  waiting_ = 0;
  return std::exchange(order_, {});
}

void append_request_id(std::string& out, std::uint64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out += kPrefix;
  out.append(digits.data(), end);
  out.push_back('"');
}

std::optional<std::uint64_t> request_number(std::string_view raw) {
  if (!raw.starts_with(kPrefix) || !raw.ends_with('"')) return std::nullopt;
  raw.remove_prefix(kPrefix.size());
  if (raw.empty()) return std::nullopt;
  raw.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (error != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return number;
}

}  // namespace parley::external_agent
