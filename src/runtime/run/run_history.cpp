// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_history.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/limits.h"
#include "runtime/stream/frame.h"

namespace parley::run {

using core::Code;
using core::Result;

namespace {

// Name of the node: "think" for "run-think-3".
std::string node_of(std::string_view node_id) {
  constexpr std::string_view kPrefix = "run-";
  if (!node_id.starts_with(kPrefix)) return {};
  node_id.remove_prefix(kPrefix.size());
  const std::size_t dash = node_id.rfind('-');
  return std::string(dash == std::string_view::npos ? std::string_view() : node_id.substr(0, dash));
}

class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(event::SessionStore& store, HistoryQuery query, core::Scheduler& scheduler,
          HistoryDone done)
      : store_(store), query_(std::move(query)), scheduler_(scheduler), done_(std::move(done)) {}

  void next_page(std::uint64_t after) {
    event::ReadQuery page;
    page.session = query_.session;
    page.after = after;
    page.limit = core::limits::kMaxPageEvents;
    page.types = {"run_start", "checkpoint", "tool_start",
                  "tool_end",  "node_enter", std::string(runtime::kReplyType)};
    store_.read(std::move(page), scheduler_,
                [self = shared_from_this()](Result<event::EventPage> events) {
                  if (!events) return self->done_(core::fail(std::move(events.error())));
                  self->on_page(*events);
                });
  }

 private:
  void on_page(const event::EventPage& page) {
    for (const event::Event& event : page.events) {
      if (query_.last_seq != 0 && event.seq > query_.last_seq) return finish();
      const Result<void> taken = take(event);
      if (!taken) return done_(core::fail(taken.error()));
      if (ended_) return finish();
    }
    if (!page.more || page.events.empty()) return finish();
    next_page(page.events.back().seq);
  }

  Result<void> take(const event::Event& event) {
    simdjson::dom::object object;
    if (parser_.parse(event.payload).get(object) != simdjson::SUCCESS) {
      return core::fail(Code::data_loss,
                        "Event " + std::to_string(event.seq) + " of the run cannot be read.");
    }
    if (event.type == "run_start") {
      // An interrupted run has no last event: the next run's first event ends it.
      ended_ = core::string_member(object, "run_id") != query_.run_id;
      return {};
    }
    if (std::string id = core::string_member(object, "node_id"); !id.empty()) {
      history_.last_node_id = std::move(id);
    }
    if (event.type == runtime::kReplyType) {
      history_.cut_off = core::string_member(object, kCutOffMember);
    } else if (event.type == "node_enter") {
      ++history_.node_runs;
    } else if (event.type == "tool_start") {
      history_.in_flight_calls.push_back(core::string_member(object, "call_id"));
    } else if (event.type == "tool_end") {
      std::erase(history_.in_flight_calls, core::string_member(object, "call_id"));
    } else if (event.type == "checkpoint") {
      return take_checkpoint(event, object);
    }
    return {};
  }

  Result<void> take_checkpoint(const event::Event& event, const simdjson::dom::object& object) {
    simdjson::dom::object state;
    if (object["state"].get(state) != simdjson::SUCCESS) {
      return core::fail(Code::data_loss, "A checkpoint has no state.", "state");
    }
    if (!history_.state) history_.state = agent::empty_state(query_.kind);
    Result<void> applied = history_.state->apply(state);
    if (!applied) return applied;
    CheckpointInfo info;
    info.id = core::string_member(object, "checkpoint_id");
    info.run_id = query_.run_id;
    info.seq = event.seq;
    std::int64_t step = 0;
    if (object["step"].get(step) == simdjson::SUCCESS) info.step = step;
    info.node = node_of(history_.last_node_id);
    info.next = core::string_member(object, "next");
    info.at = event.at;
    found_ = !query_.until_checkpoint.empty() && info.id == query_.until_checkpoint;
    ended_ = found_;
    history_.checkpoints.push_back(std::move(info));
    return {};
  }

  void finish() {
    if (!query_.until_checkpoint.empty() && !found_) {
      return done_(
          core::fail(Code::not_found, "The run has no checkpoint of this id.", "checkpoint_id"));
    }
    done_(std::move(history_));
  }

  event::SessionStore& store_;
  const HistoryQuery query_;
  core::Scheduler& scheduler_;
  HistoryDone done_;
  simdjson::dom::parser parser_;
  RunHistory history_;
  bool found_ = false;
  bool ended_ = false;  // no further events are needed
};

}  // namespace

void read_history(event::SessionStore& store, HistoryQuery query, core::Scheduler& scheduler,
                  HistoryDone done) {
  const std::uint64_t after = query.first_seq == 0 ? 0 : query.first_seq - 1;
  std::make_shared<Reading>(store, std::move(query), scheduler, std::move(done))->next_page(after);
}

}  // namespace parley::run
