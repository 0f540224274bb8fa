// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking_agent.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <utility>

namespace parley::booking_agent {
namespace {

namespace json = boost::json;
using agent_client::Reply;

constexpr int kMostSteps = 300;

bool moves_on(const Step& step) { return step.tool == "next" || step.tool == "prev"; }

// The stage that a spec shows; null if it shows none.
json::value stage_of(const json::value& spec) {
  const json::object* object = spec.if_object();
  const json::value* stage = object == nullptr ? nullptr : object->if_contains("stage");
  return stage == nullptr ? json::value() : *stage;
}

}  // namespace

BookingAgent::BookingAgent(core::Scheduler& scheduler, core::Entropy& entropy,
                           net::Network& network, AgentSettings settings,
                           std::function<void(const std::string&)> tell,
                           std::function<void(std::optional<std::string>)> finished)
    : scheduler_(scheduler),
      settings_(std::move(settings)),
      tell_(std::move(tell)),
      finished_(std::move(finished)),
      client_(scheduler, entropy, network, static_cast<agent_client::AgentEvents&>(*this),
              settings_.client),
      rules_(settings_.wishes) {}

BookingAgent::~BookingAgent() { scheduler_.cancel(timer_); }

void BookingAgent::start() {
  wait(settings_.patience, &BookingAgent::on_no_host);
  client_.start();
}

void BookingAgent::on_no_host() { give_up("No host page has joined the session."); }

void BookingAgent::wait(core::Millis time, void (BookingAgent::*then)()) {
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(time, [this, then] {
    timer_ = 0;
    (this->*then)();
  });
}

void BookingAgent::on_lost(const core::Error& why, core::Millis /*pause*/) {
  if (over_) return;
  tell_("connection lost: " + why.message);
  wait(settings_.patience, &BookingAgent::on_no_host);
}

void BookingAgent::on_ended(const core::Error& why) {
  if (!over_) finish(why.message);
}

void BookingAgent::on_presence(bool host_active, std::string_view /*payload*/) {
  if (!host_active || over_ || busy_) return;
  if (settings_.open_study && !study_open_) {
    open_study();
  } else {
    look();
  }
}

void BookingAgent::open_study() {
  busy_ = true;
  client_.start_session(settings_.study, settings_.participant, [this](core::Result<Reply> reply) {
    busy_ = false;
    if (!reply) {
      tell_("no study session: " + reply.error().message);
      wait(kLookAgain, &BookingAgent::look);
      return;
    }
    study_open_ = true;
    tell_("study session " + agent_client::text_member(reply->payload, "sessionId"));
    look();
  });
}

void BookingAgent::look() {
  if (over_ || busy_ || !client_.joined()) return;
  busy_ = true;
  client_.snapshot([this](core::Result<Reply> reply) {
    busy_ = false;
    if (over_) return;
    if (!reply) {
      wait(kLookAgain, &BookingAgent::look);
      return;
    }
    take_surfaces(reply->payload);
    decide();
  });
}

// Takes over the surfaces in a message; absent ones keep their value.
void BookingAgent::take_surfaces(std::string_view payload) {
  boost::system::error_code error;
  const json::value parsed = json::parse(payload, error);
  const json::object* surfaces = parsed.if_object();
  if (error || surfaces == nullptr) return;
  if (const json::value* spec = surfaces->if_contains("uiSpec")) spec_ = *spec;
  if (const json::value* history = surfaces->if_contains("messageHistory")) history_ = *history;
}

void BookingAgent::on_state(std::string_view payload) {
  if (over_) return;
  take_surfaces(payload);
  if (!busy_) decide();
}

void BookingAgent::on_user_message(std::string_view text, std::string_view /*payload*/) {
  tell_("the participant says: " + std::string(text));
}

void BookingAgent::decide() {
  if (over_ || busy_) return;
  if (BookingRules::is_booked(spec_, history_)) {
    tell_("booking " + BookingRules::booking_id(spec_));
    close_study();
    return;
  }
  const json::object* spec = spec_.if_object();
  if (spec == nullptr) {
    if (++looks_ > settings_.patience / kLookAgain) {
      give_up("The page does not finish loading.");
    } else {
      wait(kLookAgain, &BookingAgent::look);
    }
    return;
  }
  if (done_ && !is_shown()) {
    look_for_step();
    return;
  }
  if (done_) tries_ = 0;
  done_.reset();
  looks_ = 0;
  decide_on(*spec);
}

// True if the page shows the effect of the last step: another stage, or a change on this one.
bool BookingAgent::is_shown() const {
  if (moves_on(*done_)) return stage_of(spec_) != stage_of(spec_then_);
  return spec_ != spec_then_;
}

void BookingAgent::look_for_step() {
  if (++looks_ <= kMostLooks) {
    wait(kLookAgain, &BookingAgent::look);
    return;
  }
  looks_ = 0;
  Step step = *std::exchange(done_, std::nullopt);
  if (tried_enough(step)) {
    give_up("The page accepts " + step.tool + " and does not show it.");
  } else {
    act(std::move(step));
  }
}

// Counts an attempt without effect. True: kMostTries of the same step in a row.
bool BookingAgent::tried_enough(const Step& step) {
  const std::string name = step.tool + json::serialize(step.params);
  if (std::exchange(tried_, name) != name) tries_ = 0;
  return ++tries_ >= kMostTries;
}

void BookingAgent::decide_on(const json::object& spec) {
  std::optional<Step> step = rules_.next(spec);
  if (!step) {
    give_up("Nothing that is left can be booked.");
  } else if (++steps_ > kMostSteps) {
    give_up("It takes too many steps.");
  } else {
    act(std::move(*step));
  }
}

void BookingAgent::act(Step step) {
  scheduler_.cancel(std::exchange(timer_, 0));
  busy_ = true;
  spec_then_ = spec_;
  const std::string params = json::serialize(step.params);
  tell_(step.tool + " " + params + "  " + step.reason);
  const std::string tool = step.tool;
  const std::string reason = step.reason;
  client_.call_tool(tool, params, reason,
                    [this, step = std::move(step)](core::Result<Reply> reply) {
                      busy_ = false;
                      if (!over_) on_result(step, reply);
                    });
}

void BookingAgent::on_result(const Step& step, const core::Result<Reply>& reply) {
  if (!reply) {
    on_refused(step, reply.error());
    return;
  }
  // If the result has no spec, the next stage is loading; state.updated or a snapshot has it later.
  if (moves_on(step)) spec_ = nullptr;
  done_ = step;
  looks_ = 0;
  take_surfaces(reply->payload);
  decide();
}

void BookingAgent::on_refused(const Step& step, const core::Error& error) {
  tell_("refused: " + error.message);
  const bool unknown =
      error.code == core::Code::unavailable || error.code == core::Code::deadline_exceeded;
  if (const json::object* spec = spec_.if_object(); spec != nullptr && !unknown) {
    rules_.refused(step, *spec);
  }
  if (!unknown && tried_enough(step)) {
    give_up("The page refuses " + step.tool + ": " + error.message);
    return;
  }
  if (client_.joined()) {
    look();
  } else {
    wait(settings_.patience, &BookingAgent::on_no_host);
  }
}

void BookingAgent::give_up(std::string why) {
  outcome_ = std::move(why);
  close_study();
}

// Ends the study and the agent: the seats are booked, or outcome_ has the reason why not.
void BookingAgent::close_study() {
  scheduler_.cancel(std::exchange(timer_, 0));
  over_ = true;
  if (!study_open_ || !client_.joined()) {
    finish(outcome_);
    return;
  }
  client_.end_session(outcome_ ? "given-up" : "study-complete", [this](core::Result<Reply> reply) {
    tell_(reply ? "log " + agent_client::text_member(reply->payload, "logFile")
                : "the study was not closed: " + reply.error().message);
    finish(outcome_);
  });
}

void BookingAgent::finish(std::optional<std::string> why) {
  over_ = true;
  scheduler_.cancel(std::exchange(timer_, 0));
  finished_(std::move(why));
}

}  // namespace parley::booking_agent
