// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session/simulated_workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "tests/support/session/test_actors.h"

namespace parley::session {

using core::Millis;
using core::Result;

namespace {

constexpr std::uint64_t kKeys = 30;
constexpr std::size_t kMaxWatchers = 3;
// Covers a grace that is restarted once, and two retries of the store.
constexpr Millis kSettleTime{8'000};
constexpr Millis kSettleStep{500};
// Every fourth question outlasts settle() by far, unless something else ends it.
constexpr int kLongWait = 600;

const core::Error kDiskFailed{core::Code::data_loss, "The disk failed.", ""};

int wait_of_key(std::uint64_t number) {
  return number % 4 == 0 ? kLongWait : 1 + static_cast<int>(number % 20);
}

std::string key_in(const std::string& payload) {
  const auto from = payload.find("\"key\":\"") + 7;
  return payload.substr(from, payload.find('"', from) - from);
}

}  // namespace

SimulatedWorkspace::SimulatedWorkspace(std::uint64_t seed, bool tell)
    : entropy_(seed), tell_(tell) {
  store_.step_by_step();
  start();
}

SimulatedWorkspace::~SimulatedWorkspace() {
  hub_.reset();
  scheduler_.drop_all();
}

void SimulatedWorkspace::tell(const std::string& what) const {
  if (tell_) std::cout << steps_ << ": " << what << '\n';
}

std::string SimulatedWorkspace::any_key() { return "q" + std::to_string(pick(kKeys)); }

template <typename Use>
void SimulatedWorkspace::with_session(Use use) {
  hub_->with_session({"s", "test", "owner"},
                     [this, use = std::move(use), life = life_](Result<Session*> session) mutable {
                       ASSERT_EQ(life, life_) << "a callback of an earlier life";
                       if (session) use(**session);
                     });
}

void SimulatedWorkspace::start() {
  std::vector<std::unique_ptr<Shard>> shards;
  shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, limits_));
  hub_ = std::make_unique<Hub>(std::move(shards));
  if (std::exchange(numbers_may_be_lost_, false)) {
    with_session([](Session& session) { session.skip_lost_numbers(); });
    let_the_disk_work();
  }
  bool recovered = false;
  hub_->recover(store_, scheduler_, [&recovered](const Result<std::size_t>& count) {
    ASSERT_TRUE(count);
    recovered = true;
  });
  let_the_disk_work();
  ASSERT_TRUE(recovered);
}

void SimulatedWorkspace::step() {
  ++steps_;
  std::erase_if(callers_, [](const auto& caller) { return caller->done; });
  std::erase_if(watchers_, [](const auto& watcher) { return watcher->session() == nullptr; });
  random_step();
}

void SimulatedWorkspace::random_step() {
  switch (pick(26)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return ask();
    case 4:
    case 5:
      return answer();
    case 6:
      return pick(2) == 0 ? cancel() : withdraw();
    case 7:
    case 8:
      return give_up();
    case 9:
    case 10:
      return append_durable();
    case 11:
    case 12:
    case 13:
      return append_flowing();
    case 14:
      return join();
    case 15:
      return leave();
    case 16:
      if (pick(8) == 0) return kill();
      if (pick(8) == 0) return revoke();
      if (pick(3) == 0) return all_leave();
      return settle();
    case 17:
      scheduler_.advance(Millis(pick(5'000)));
      return;
    default:
      return step_of_the_disk();
  }
}

void SimulatedWorkspace::step_of_the_disk() {
  const std::uint64_t what = pick(12);
  const int count = static_cast<int>(1 + pick(4));
  if (what == 0) {
    tell("the next " + std::to_string(count) + " units fail");
    store_.fail_next(count, kDiskFailed);
  } else if (what == 1) {
    tell("the next " + std::to_string(count) + " flowing units find no room");
    store_.refuse_flowing(count);
  } else if (what == 2) {
    store_.fail_reads(1);
  } else if (what < 10) {
    tell("the disk does up to " + std::to_string(count) + " calls");
    store_.proceed(static_cast<std::size_t>(count));
    if (what < 8) scheduler_.run_ready();
  } else {
    scheduler_.run_ready();
  }
}

// --- calls of clients
// ------------------------------------------------------------------------------

void SimulatedWorkspace::ask() {
  const std::uint64_t number = pick(kKeys);
  AskRequest request{asking_token()};
  request.key = "q" + std::to_string(number);
  request.prompt.text = "text of " + request.key;
  request.prompt.timeout_s = wait_of_key(number);
  tell("ask " + request.key);
  auto caller = std::make_shared<Caller>();
  caller->key = request.key;
  caller->life = life_;
  callers_.push_back(caller);
  with_session([this, caller, request = std::move(request)](Session& session) mutable {
    given_up_.erase(caller->key);
    caller->session = &session;
    caller->waiter =
        session.ask(std::move(request), [this, caller](const Result<InteractionPtr>& result) {
          ASSERT_EQ(caller->life, life_) << "a caller of an earlier life was called";
          ASSERT_FALSE(std::exchange(caller->done, true)) << caller->key << " was answered twice";
          if (!result) return;
          ASSERT_NE((*result)->state, InteractionState::pending);
          note_fate(**result);
        });
  });
}

void SimulatedWorkspace::give_up() {
  if (callers_.empty()) return;
  const std::shared_ptr<Caller> caller = callers_[pick(callers_.size())];
  if (caller->session == nullptr || caller->done) return;
  tell("a caller of " + caller->key + " gives up");
  caller->done = true;
  caller->session->abandon(caller->waiter);
  const bool last = std::none_of(callers_.begin(), callers_.end(), [&caller](const auto& other) {
    return !other->done && other->key == caller->key && other->session != nullptr;
  });
  if (last) given_up_.insert(caller->key);
}

void SimulatedWorkspace::answer() {
  const std::string key = any_key();
  tell("answer " + key);
  Answer answer;
  answer.contents.push_back({Content::Type::text, std::to_string(++made_), "", "", ""});
  with_session([this, key, answer](Session& session) {
    session.answer(key, answer, person("ui", "ui"),
                   [this](const Result<AnswerReceipt>& receipt) { note_receipt(receipt); });
  });
}

void SimulatedWorkspace::cancel() {
  const std::string key = any_key();
  tell("cancel " + key);
  with_session([this, key](Session& session) {
    session.cancel(key, "cancelled", person("ui", "ui"),
                   [this](const Result<AnswerReceipt>& receipt) { note_receipt(receipt); });
  });
}

void SimulatedWorkspace::withdraw() {
  const std::string key = any_key();
  Session* session = hub_->shard(0).find("s");
  if (session == nullptr || !session->is_pending(key)) return;
  tell("withdraw " + key);
  session->withdraw(key, "withdrawn", asking_token());
  given_up_.insert(key);
}

std::vector<Session::NewEvent> SimulatedWorkspace::new_events(bool flowing) {
  std::vector<Session::NewEvent> events;
  for (std::uint64_t count = 1 + pick(3); count > 0; --count) {
    const std::string payload = "{\"n\":" + std::to_string(++made_) + "}";
    events.push_back({"out", flowing || pick(2) == 0 ? "message_chunk" : "tool_start", payload});
  }
  return events;
}

void SimulatedWorkspace::append_durable() {
  std::vector<Session::NewEvent> events = new_events(false);
  tell("append " + std::to_string(events.size()) + " durable, up to " + events.back().payload);
  with_session([this, events = std::move(events)](Session& session) mutable {
    std::vector<std::string> payloads;
    for (const auto& event : events) payloads.push_back(event.payload);
    unanswered_.insert(payloads.back());
    session.append_durable(std::move(events), [this, payloads](const Result<std::uint64_t>& seq) {
      ASSERT_EQ(unanswered_.erase(payloads.back()), 1U) << "answered twice";
      for (std::size_t i = 0; i < payloads.size(); ++i) {
        if (!seq) {
          lost_.insert(payloads[i]);
          continue;
        }
        const std::uint64_t at = *seq - (payloads.size() - 1) + i;
        const auto stored = store_.event("s", at);
        ASSERT_TRUE(stored && stored->payload == payloads[i]) << at << " is told and not stored";
        ASSERT_TRUE(acknowledged_.emplace(at, payloads[i]).second) << at << " was given twice";
      }
    });
  });
}

void SimulatedWorkspace::append_flowing() {
  std::vector<Session::NewEvent> events = new_events(true);
  tell("append " + std::to_string(events.size()) + " flowing, up to " + events.back().payload);
  with_session([this, events = std::move(events)](Session& session) mutable {
    std::vector<std::string> payloads;
    for (const auto& event : events) payloads.push_back(event.payload);
    const auto lose = [this, payloads] {
      for (const std::string& payload : payloads) {
        ASSERT_TRUE(lost_.insert(payload).second) << payload << " was told lost twice";
      }
    };
    const Result<std::uint64_t> seq =
        session.append_flowing(std::move(events), [lose](const core::Error&) { lose(); });
    if (!seq) return lose();
    flowing_.insert(payloads.begin(), payloads.end());
  });
}

void SimulatedWorkspace::join() {
  if (watchers_.size() >= kMaxWatchers) return;
  tell("a watcher joins");
  watchers_.push_back(
      std::make_unique<SimulatedWatcher>("w" + std::to_string(++made_), seen_, store_));
  // Found by its id: the watcher may be gone if the session had to be loaded first.
  with_session([this, id = watchers_.back()->info().client_id](Session& session) {
    for (const auto& watcher : watchers_) {
      if (watcher->info().client_id == id) watcher->join(session);
    }
  });
  let_the_disk_work();
}

void SimulatedWorkspace::leave() {
  if (watchers_.empty()) return;
  tell("a watcher leaves");
  watchers_[pick(watchers_.size())]->leave();
}

void SimulatedWorkspace::revoke() {
  tell("the token is revoked");
  hub_->revoke("owner");
  scheduler_.run_ready();
}

// As kill -9: nothing is reported; committed data stays, writes that wait for the disk may be lost.
void SimulatedWorkspace::kill() {
  tell("kill");
  ++life_;
  hub_.reset();
  scheduler_.drop_all();
  store_.proceed(pick(4));
  store_.forget_waiting();
  store_.heal();
  scheduler_.drop_all();
  callers_.clear();
  watchers_.clear();
  given_up_.clear();
  unanswered_.clear();
  flowing_.clear();
  numbers_may_be_lost_ = true;
  start();
}

// --- rest
// -----------------------------------------------------------------------------------------

void SimulatedWorkspace::let_the_disk_work() {
  do {
    store_.proceed(1'000);
  } while (scheduler_.run_ready() > 0);
}

// Ends all failures of the store and lets time pass.
void SimulatedWorkspace::settle() {
  tell("settle");
  store_.heal();
  for (Millis passed{0}; passed < kSettleTime; passed += kSettleStep) {
    let_the_disk_work();
    scheduler_.advance(kSettleStep);
  }
  let_the_disk_work();
  check_settled();
  check_given_up();
  check_memory();
}

void SimulatedWorkspace::all_leave() {
  tell("all leave");
  for (const auto& watcher : watchers_) watcher->leave();
  settle();
}

void SimulatedWorkspace::end() {
  tell("the end");
  all_leave();
  for (int passed = 0; passed < kLongWait; passed += 100) {
    scheduler_.advance(std::chrono::seconds(100));
    let_the_disk_work();
  }
  settle();
  EXPECT_EQ(hub_->shard(0).counts().sessions, 0U) << "nobody is here, and nothing is open";
  for (const auto& caller : callers_) EXPECT_TRUE(caller->done) << caller->key << " still waits";
  check_log();
}

void SimulatedWorkspace::note_receipt(const Result<AnswerReceipt>& receipt) {
  if (!receipt) return;
  note_fate(*receipt->interaction);
  if (!receipt->won) return;
  ASSERT_EQ(++winners_[receipt->interaction->key], 1) << "two winners";
}

// Checks that all reports of an interaction's end agree.
void SimulatedWorkspace::note_fate(const Interaction& interaction) {
  const std::string fate = closed_payload(interaction);
  const auto [it, is_new] = fates_.emplace(interaction.key, fate);
  ASSERT_EQ(it->second, fate) << "two fates of " << interaction.key;
}

// --- promises
// -------------------------------------------------------------------------------------

void SimulatedWorkspace::check_settled() {
  EXPECT_TRUE(unanswered_.empty()) << *unanswered_.begin() << " was not answered";
  std::set<std::string> stored;
  for (const event::Event& event : store_.events("s")) stored.insert(event.payload);
  for (const std::string& payload : flowing_) {
    EXPECT_TRUE(stored.contains(payload) || lost_.contains(payload))
        << payload << " is lost, and nobody was told";
  }
  for (const std::string& payload : lost_) {
    EXPECT_FALSE(stored.contains(payload)) << payload << " was told lost, and is stored";
  }
  Session* session = hub_->shard(0).find("s");
  std::set<std::string> pending;
  if (session != nullptr) {
    for (const InteractionPtr& one : session->pending()) pending.insert(one->key);
  }
  for (const auto& watcher : watchers_) {
    if (watcher->session() == nullptr) continue;
    ASSERT_EQ(watcher->session(), session);
    EXPECT_EQ(watcher->shown(), pending) << "a watcher sees other questions than are open";
  }
  for (const auto& caller : callers_) {
    if (caller->session == nullptr) caller->done = true;  // the session could not be loaded
    EXPECT_TRUE(caller->done || pending.contains(caller->key))
        << caller->key << " is waited for and is not open";
  }
}

void SimulatedWorkspace::check_given_up() {
  Session* session = hub_->shard(0).find("s");
  for (const std::string& key : given_up_) {
    EXPECT_FALSE(session != nullptr && session->is_pending(key)) << key << " outlives its grace";
  }
}

void SimulatedWorkspace::check_memory() {
  Session* session = hub_->shard(0).find("s");
  if (session == nullptr) return;
  EXPECT_TRUE(!session->participants().empty() || session->pending_count() > 0)
      << "the session stays in memory for nobody";
}

void SimulatedWorkspace::check_log() {
  std::set<std::string> opened;
  std::map<std::string, std::string> closed;
  std::uint64_t last = 0;
  for (const event::Event& event : store_.events("s")) {
    ASSERT_TRUE(event.seq == last + 1 || (event.seq > last && event.type == event::kNumbersSkipped))
        << event.seq << " follows " << last;
    last = event.seq;
    const auto seen = seen_.by_seq.find(event.seq);
    ASSERT_TRUE(seen == seen_.by_seq.end() || seen->second == event.type + event.payload)
        << event.seq << " was seen as another event than is stored";
    const std::string key = event.type.starts_with("interaction.") ? key_in(event.payload) : "";
    if (event.type == "interaction.opened") {
      ASSERT_TRUE(opened.insert(key).second) << key << " was opened twice";
    } else if (event.type == "interaction.closed") {
      ASSERT_TRUE(opened.contains(key)) << key << " was closed before it was opened";
      ASSERT_TRUE(closed.emplace(key, event.payload).second) << key << " was closed twice";
    }
  }
  for (const auto& [key, fate] : fates_) ASSERT_EQ(closed[key], fate) << "told, but not stored";
  ASSERT_EQ(opened.size(), closed.size()) << "a question has no fate after the longest wait";
  for (const auto& [seq, payload] : acknowledged_) {
    const auto stored = store_.event("s", seq);
    ASSERT_TRUE(stored && stored->payload == payload) << seq << " was acknowledged";
  }
}

}  // namespace parley::session
