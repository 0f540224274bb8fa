// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialects/external_agent/relay_connection.h"
#include "dialects/external_agent/relay_context.h"
#include "identity/auth/guest_verifier.h"
#include "services/study/study_service.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/net/fake_websocket.h"
#include "tests/support/session/other_node.h"

// The relay on a fake clock, with sockets that record the messages sent to them and studies in
// memory. For tests and fuzz targets.
namespace parley::external_agent {

// One line of a fake log.
struct LoggedRecord {
  std::string direction;
  std::string type;
  std::string payload;
  std::string id;
  std::string reply_to;
  std::string client_id;
};

struct LoggedStudy {
  study::Study study;
  std::vector<LoggedRecord> records;
};

// Studies in memory. A call completes in the next run of the scheduler, unless `hold` is set.
// `pending_bytes` and `full` apply to every recorder.
class FakeStudies final : public study::StudyService {
 public:
  void open(study::StudyStart start, core::Scheduler& scheduler,
            Done<std::unique_ptr<study::Recorder>> done) override;
  void resume(std::string owner, std::string relay_session, core::Scheduler& scheduler,
              Done<std::unique_ptr<study::Recorder>> done) override;
  void close(std::unique_ptr<study::Recorder> recorder, study::StudyEnd end,
             Done<study::Study> done) override;
  // The relay makes no query.
  void search(study::StudyQuery, core::Scheduler&, Done<study::StudyPage> done) override {
    unused(std::move(done));
  }
  void summarize(study::StudyQuery, core::Scheduler&, Done<study::SummaryPage> done) override {
    unused(std::move(done));
  }
  void read_log(std::string, std::string, study::LogPosition, core::Scheduler&,
                Done<study::LogPart> done) override {
    unused(std::move(done));
  }
  void tool_calls(std::string, std::string, core::Scheduler&, Done<std::string> done) override {
    unused(std::move(done));
  }
  void verify(std::string, std::string, core::Scheduler&, Done<study::VerifyReport> done) override {
    unused(std::move(done));
  }
  void find(std::string, std::string, core::Scheduler&, Done<study::Study> done) override {
    unused(std::move(done));
  }
  void assign(study::AssignmentRequest, core::Scheduler&,
              Done<study::AssignedParticipant> done) override {
    unused(std::move(done));
  }

  // While `hold` is set, nothing is opened, resumed or closed; release() completes all of it.
  void release() {
    hold = false;
    for (core::Task& task : std::exchange(waiting_, {})) task();
  }

  LoggedStudy& last() { return *logs.back(); }

  std::vector<std::shared_ptr<LoggedStudy>> logs;
  std::optional<core::Error> open_failure;
  std::optional<core::Error> close_failure;
  bool hold = false;
  bool log_enabled = true;
  bool throwing = false;  // each call that records throws
  std::size_t pending_bytes = 0;
  std::optional<core::Error> full;
  std::size_t all_pending_bytes = 0;
  std::size_t recorders = 0;  // recorders that exist

 private:
  class FakeRecorder;
  template <typename T>
  static void unused(Done<T> done) {
    done(core::fail(core::Code::unimplemented, "The fake answers no queries."));
  }
  void later(core::Scheduler& scheduler, core::Task task) {
    if (hold) {
      waiting_.push_back(std::move(task));
    } else {
      scheduler.post(std::move(task));
    }
  }
  std::vector<core::Task> waiting_;
};

class FakeStudies::FakeRecorder final : public study::Recorder {
 public:
  FakeRecorder(FakeStudies& studies, std::shared_ptr<LoggedStudy> log, core::Scheduler& scheduler)
      : studies_(studies), log_(std::move(log)), scheduler_(scheduler) {
    ++studies_.recorders;
  }
  ~FakeRecorder() override { --studies_.recorders; }

  const study::Study& study() const override { return log_->study; }
  std::size_t record(const study::Record& record) override {
    if (studies_.throwing) throw std::bad_alloc();
    log_->records.push_back({std::string(record.direction), std::string(record.type),
                             std::string(record.payload), std::string(record.id),
                             std::string(record.reply_to), std::string(record.client_id)});
    return record.payload.size();
  }
  std::optional<core::Error> full() const override { return studies_.full; }
  std::size_t pending_bytes() const override { return studies_.pending_bytes; }
  std::size_t all_pending_bytes() const override { return studies_.all_pending_bytes; }
  void flush(absl::AnyInvocable<void(core::Result<void>)> done) override {
    scheduler_.post([done = std::move(done)]() mutable { done({}); });
  }
  core::Scheduler& scheduler() { return scheduler_; }
  const std::shared_ptr<LoggedStudy>& log() { return log_; }

 private:
  FakeStudies& studies_;
  std::shared_ptr<LoggedStudy> log_;
  core::Scheduler& scheduler_;
};

inline void FakeStudies::open(study::StudyStart start, core::Scheduler& scheduler,
                              Done<std::unique_ptr<study::Recorder>> done) {
  later(scheduler, [this, start = std::move(start), &scheduler, done = std::move(done)]() mutable {
    if (open_failure) return done(core::fail(*open_failure));
    auto log = std::make_shared<LoggedStudy>();
    std::string number = std::to_string(logs.size() + 1);
    number.insert(0, 3 - std::min<std::size_t>(number.size(), 3), '0');
    log->study.id = "s-20260213-" + number;
    log->study.log_file = "logs/study/" + log->study.id + ".jsonl";
    log->study.log_enabled = log_enabled;
    log->study.start = std::move(start);
    log->records.push_back({"internal", "study.opened", "{}", "", "", ""});
    logs.push_back(log);
    done(std::make_unique<FakeRecorder>(*this, std::move(log), scheduler));
  });
}

inline void FakeStudies::resume(std::string owner, std::string relay_session,
                                core::Scheduler& scheduler,
                                Done<std::unique_ptr<study::Recorder>> done) {
  later(scheduler, [this, owner = std::move(owner), relay_session = std::move(relay_session),
                    &scheduler, done = std::move(done)]() mutable {
    const auto found = std::find_if(logs.begin(), logs.end(), [&](const auto& log) {
      return log->study.state == study::StudyState::open && log->study.start.owner == owner &&
             log->study.start.relay_session == relay_session;
    });
    if (found == logs.end()) return done(std::unique_ptr<study::Recorder>());
    done(std::make_unique<FakeRecorder>(*this, *found, scheduler));
  });
}

inline void FakeStudies::close(std::unique_ptr<study::Recorder> recorder, study::StudyEnd end,
                               Done<study::Study> done) {
  auto& ours = static_cast<FakeRecorder&>(*recorder);
  later(ours.scheduler(), [this, log = ours.log(), end = std::move(end),
                           recorder = std::move(recorder), done = std::move(done)]() mutable {
    if (close_failure) return done(core::fail(*close_failure));
    log->records.push_back({"internal", "study.closed", "{}", "", "", ""});
    log->study.state = study::StudyState::ended;
    log->study.end_reason = end.reason;
    log->study.record_count = log->records.size();
    recorder.reset();
    done(log->study);
  });
}

// The server side: shards, studies, the tokens "tok" and "other", and a guest without a token.
class RelayServer {
 public:
  // Makes a study service for a new hub. The service runs on the first scheduler.
  using StudyMaker = std::function<std::unique_ptr<study::StudyService>(RelayServer& server)>;

  explicit RelayServer(RelayOptions options = {}, std::size_t shards = 1,
                       StudyMaker make_studies = nullptr)
      : options_(options), make_studies_(std::move(make_studies)) {
    for (std::size_t i = 0; i < shards; ++i) schedulers.emplace_back(clock);
    tokens.allow("tok", "t1");
    tokens.allow("other", "t2");
    start();
  }

  // Restarts the server on the same studies, as after kill -9. All clients must be closed.
  void restart() {
    context.reset();
    made_studies_.reset();
    hub.reset();
    start();
  }
  ~RelayServer() {
    context.reset();
    made_studies_.reset();
  }
  RelayServer(const RelayServer&) = delete;
  RelayServer& operator=(const RelayServer&) = delete;

  void run() {
    std::size_t count = 1;
    while (count > 0) {
      count = 0;
      for (core::FakeScheduler& scheduler : schedulers) count += scheduler.run_ready();
    }
  }

  // Advances the clock that all shards share, in steps of 100 ms; all shards run their due tasks
  // after each step.
  void advance(core::Millis by) {
    run();
    for (core::Millis left = by; left > core::Millis(0); left -= core::Millis(100)) {
      schedulers[0].advance(std::min(left, core::Millis(100)));
      run();
    }
  }

  std::size_t relay_sessions() {
    std::size_t count = 0;
    for (core::FakeScheduler& scheduler : schedulers)
      count += context->shard(scheduler).relay_session_count();
    return count;
  }

  core::FakeClock clock;
  std::deque<core::FakeScheduler> schedulers;
  core::SeededEntropy entropy{11};
  event::MemorySessionStore store;
  session::OtherNode other_node;
  FakeStudies studies;
  auth::FakeVerifier tokens;
  auth::GuestVerifier verifier{tokens, "shared"};
  std::unique_ptr<net::Metrics> metrics;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<RelayContext> context;

 private:
  void start() {
    std::vector<std::unique_ptr<session::Shard>> shards;
    for (core::FakeScheduler& scheduler : schedulers) {
      shards.push_back(
          std::make_unique<session::Shard>(scheduler, entropy, store, session::SessionLimits()));
    }
    hub = std::make_unique<session::Hub>(std::move(shards), other_node.placement());
    tokens.allow("shared", "guest");
    metrics = std::make_unique<net::Metrics>();
    if (make_studies_) made_studies_ = make_studies_(*this);
    study::StudyService& service = made_studies_ ? *made_studies_ : studies;
    context = std::make_unique<RelayContext>(*hub, service, verifier, entropy, *metrics, options_,
                                             net::RecordedMessage::make);
  }

  RelayOptions options_;
  StudyMaker make_studies_;
  std::unique_ptr<study::StudyService> made_studies_;
};

// A client: a socket and its connection.
class Peer {
 public:
  explicit Peer(RelayServer& server, std::string token = {}, bool full_history = false,
                std::size_t home = 0)
      : socket(server.schedulers[home]), server_(server) {
    RelayCaller caller;
    caller.owner = server.verifier.verify(token, "").value().workspace;
    caller.token = std::move(token);
    caller.full_history = full_history;
    connection_ = std::make_unique<RelayConnection>(*server.context, std::move(caller));
    connection_->on_open(socket);
  }
  ~Peer() { hang_up(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // The network closes the socket.
  void hang_up() {
    if (!connection_) return;
    socket.is_open = false;
    connection_->on_close(socket, net::close_code::kAbnormal, "");
    connection_.reset();
    server_.run();
  }

  // Delivers a message and runs no task.
  void give(std::string_view text, net::MessageType type = net::MessageType::text) {
    if (connection_ && socket.is_open) connection_->on_message(socket, type, text);
  }
  void send(std::string_view text) {
    give(text);
    server_.run();
  }
  // A message of this type; `payload` is JSON, `id` raw JSON or empty.
  void say(std::string_view type, std::string_view payload = "{}", std::string_view id = {}) {
    std::string text = R"({"v":"mvp-0.2","type":")" + std::string(type) + "\"";
    if (!id.empty()) text += ",\"id\":" + std::string(id);
    text += ",\"payload\":" + std::string(payload) + "}";
    send(text);
  }
  // A reply.
  void reply(std::string_view type, std::string_view reply_to, std::string_view payload) {
    send(R"({"v":"mvp-0.2","type":")" + std::string(type) + R"(","replyTo":)" +
         std::string(reply_to) + ",\"payload\":" + std::string(payload) + "}");
  }
  // Joins and discards the messages sent meanwhile.
  void join(std::string_view role, std::string_view session = "default",
            std::string_view more = "") {
    say("relay.join", R"({"role":")" + std::string(role) + R"(","sessionId":")" +
                          std::string(session) + "\"" + std::string(more) + "}");
    socket.sent.clear();
  }

  // Messages sent since the last call.
  std::vector<std::string> take() {
    socket.shared.clear();
    return std::exchange(socket.sent, {});
  }
  // Messages sent since the last call, without relay.presence.
  std::vector<std::string> take_messages() {
    std::vector<std::string> out = take();
    std::erase_if(out, [](const std::string& text) {
      return text.find(R"("type":"relay.presence")") != std::string::npos;
    });
    return out;
  }
  // The only message sent since the last call; empty if there were none or several.
  std::string take_one() {
    std::vector<std::string> out = take_messages();
    return out.size() == 1 ? out.front() : std::string();
  }

  net::FakeWebSocket socket;

 private:
  RelayServer& server_;
  std::unique_ptr<RelayConnection> connection_;
};

// Raw value of a member of a message, or of its payload ("payload.code"); empty: absent.
inline std::string part(std::string_view message, std::string_view name) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  if (scan_object(message, 64, "payload", fields, inner) != ScanResult::ok) return {};
  const bool in_payload = name.starts_with("payload.");
  const JsonField* found =
      in_payload ? find_field(inner, name.substr(8)) : find_field(fields, name);
  return found == nullptr ? std::string() : std::string(found->value);
}

inline std::string error_frame(std::string_view code, std::string_view message,
                               std::string_view reply_to = {}) {
  std::string out;
  append_error(out, {code, message}, reply_to);
  return out;
}

}  // namespace parley::external_agent
