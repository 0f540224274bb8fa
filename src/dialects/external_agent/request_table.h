// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/core/clock.h"
#include "dialects/external_agent/message_kind.h"

namespace parley::external_agent {

struct Member;

// A request that was sent to the host and has no answer yet.
struct Request {
  std::uint64_t number = 0;  // the relay's own id
  MessageKind kind = MessageKind::tool_call;
  std::shared_ptr<Member> agent;  // sender
  std::string id;                 // raw JSON, as the agent wrote it; empty: absent
  std::string study;              // session.end only: the study to end; empty: none was open
  std::string reason;             // session.end only
  core::MonoTime deadline;
};

// The requests of one relay session that wait for the host, in order. Those that expect a reply
// are limited; of the others only the latest kMaxSilent are kept.
class RequestTable {
 public:
  // Limit (External agents): requests without a reply that an error may still answer. Reached: the
  // oldest is forgotten.
  static constexpr std::size_t kMaxSilent = 256;

  explicit RequestTable(std::size_t limit) : limit_(limit) {}

  // True if one more request of this kind may wait.
  bool has_room(MessageKind kind) const { return !expects_reply(kind) || waiting_ < limit_; }
  // Adds a request behind all others. Its deadline must not be before theirs, and has_room() must
  // be true.
  Request& add(std::uint64_t number, MessageKind kind, std::shared_ptr<Member> agent,
               std::string_view id, core::MonoTime deadline);
  // Null: the table has no request with this number.
  Request* find(std::uint64_t number);
  // The oldest request that expects a reply and that `reply` may answer; null: none.
  Request* oldest(MessageKind reply);
  void remove(const Request& request);

  bool empty() const { return order_.empty(); }
  std::size_t waiting() const { return waiting_; }
  // The oldest request. The table must not be empty.
  Request& front() { return order_.front(); }
  // Removes the requests of an agent, except a session.end that ends a study: the host's answer to
  // it still closes the study.
  void remove_of(const Member& agent);
  // Empties the table and returns its requests.
  std::list<Request> take_all();

 private:
  void recycle(std::list<Request>::iterator at);

  std::size_t limit_;
  std::size_t waiting_ = 0;  // requests that expect a reply
  std::list<Request> order_;
  std::list<Request> spare_;  // nodes for reuse
  absl::flat_hash_map<std::uint64_t, std::list<Request>::iterator> by_number_;
};

// The relay's id of a request as raw JSON, for example "r-17" with its quotes.
void append_request_id(std::string& out, std::uint64_t number);
// The number in such an id; std::nullopt if `raw` has another form.
std::optional<std::uint64_t> request_number(std::string_view raw);

}  // namespace parley::external_agent
