// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_history.h"

#include <simdjson.h>

#include <limits>
#include <memory>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/limits.h"
#include "dialects/chat/chat_view.h"

namespace parley::chat {
namespace {

using core::Result;
using Done = absl::AnyInvocable<void(Result<Continued>)>;

std::string run_of(const event::Event& event) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(event.payload).get(object) != simdjson::SUCCESS) return {};
  return core::string_member(object, "run_id");
}

// Walks the conversation backwards, from its last run to the replaced request. A request names the
// run that it continues; a run without a request continues the run before it.
class HistoryReader : public std::enable_shared_from_this<HistoryReader> {
 public:
  HistoryReader(event::SessionStore& store, std::string session, std::string replaces,
                core::Scheduler& scheduler, Done done)
      : store_(store),
        session_(std::move(session)),
        replaces_(std::move(replaces)),
        scheduler_(scheduler),
        done_(std::move(done)) {}

  void read(std::uint64_t before) {
    event::ReadQuery query;
    query.session = session_;
    query.before = before;
    query.limit = replaces_.empty() ? 1 : core::limits::kMaxPageEvents;
    query.types = {std::string(kClearType), std::string(kRunStartType)};
    if (!replaces_.empty()) query.types.emplace_back(kRequestType);
    store_.read(std::move(query), scheduler_,
                [self = shared_from_this()](const Result<event::EventPage>& page) {
                  if (!page) return self->done_(core::fail(page.error()));
                  self->take(*page);
                });
  }

 private:
  void take(const event::EventPage& page) {
    for (std::size_t i = page.events.size(); i-- > 0;) {
      const event::Event& event = page.events[i];
      if (replaces_.empty()) {
        return done_(Continued{event.type == kRunStartType ? run_of(event) : std::string(), true});
      }
      if (++seen_ > kMaxReplacedDepth || event.type == kClearType) return miss();
      if (event.type == kRunStartType ? take_run(event) : take_request(event)) return;
    }
    if (page.more && !page.events.empty()) return read(page.events.front().seq);
    if (replaces_.empty()) return done_(Continued{});
    miss();
  }

  bool take_run(const event::Event& event) {
    std::string run = run_of(event);
    // The wanted run has no request: another interface started it.
    if (begun_ || (wanted_.empty() && !any_))
      wanted_ = std::move(run);
    else if (run != wanted_)
      return false;
    begun_ = any_ = true;
    return false;
  }

  // True: the walk has ended.
  bool take_request(const event::Event& event) {
    ChatRequest request = read_request(event);
    if (any_ && request.run_id != wanted_) return false;
    if (request.request_id == replaces_) {
      done_(Continued{std::move(request.continues), false});
      return true;
    }
    wanted_ = std::move(request.continues);
    begun_ = false;
    any_ = true;
    if (!wanted_.empty()) return false;
    miss();
    return true;
  }

  void miss() {
    done_(core::fail(core::Code::not_found,
                     "\"data.replaces\" must be the id of a message of this conversation.",
                     "data.replaces"));
  }

  event::SessionStore& store_;
  const std::string session_;
  const std::string replaces_;
  core::Scheduler& scheduler_;
  Done done_;
  std::string wanted_;  // next run of the conversation, if one is known
  bool any_ = false;
  bool begun_ = false;  // the run_start of `wanted_` was seen
  std::size_t seen_ = 0;
};

}  // namespace

void find_continued(event::SessionStore& store, std::string session, std::string replaces,
                    core::Scheduler& scheduler, Done done) {
  std::make_shared<HistoryReader>(store, std::move(session), std::move(replaces), scheduler,
                                  std::move(done))
      ->read(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace parley::chat
