// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/study_load.h"

#include <future>
#include <utility>

#include "base/core/json_writer.h"
#include "programs/agent_client/envelope.h"

namespace parley::kill {
namespace {

using agent_client::AgentClient;
using agent_client::Envelope;
using agent_client::Reply;

constexpr std::size_t kCallsAtATime = 3;
constexpr std::chrono::seconds kPatience{60};
constexpr core::Millis kFirstPause{20};
constexpr core::Millis kLongestPause{200};

agent_client::LinkOptions link_options(const agent_client::ServerUrl& server,
                                       const std::string& token, agent_client::LinkRole role) {
  agent_client::LinkOptions out;
  out.server = server;
  out.token = token;
  out.role = role;
  out.first_pause = kFirstPause;
  out.longest_pause = kLongestPause;
  return out;
}

}  // namespace

// Answers every call at once, and sends a new state after each tool.
class StudyLoad::Host final : private agent_client::LinkHandler {
 public:
  Host(StudyLoad& load, const agent_client::ServerUrl& server, const std::string& token)
      : link_(load.loop_, load.entropy_, load.network_,
              static_cast<agent_client::LinkHandler&>(*this),
              link_options(server, token, agent_client::LinkRole::host)) {}
  void start() { link_.start(); }
  void stop() { link_.stop(); }

 private:
  void on_joined(std::string_view /*payload*/) override {}
  void on_lost(const core::Error& /*why*/, core::Millis /*pause*/) override {}
  void on_ended(const core::Error& /*why*/) override {}
  void on_envelope(const Envelope& envelope) override {
    if (envelope.type == "session.start") {
      link_.send({"session.started", "", envelope.id, R"({"sessionId":"default"})"});
    } else if (envelope.type == "session.end") {
      link_.send(
          {"session.ended", "", envelope.id, R"({"sessionId":"default","stateReset":true})"});
    } else if (envelope.type == "tool.call") {
      answer(envelope);
    }
  }
  // The reason of a call is its marker: the result contains it as well.
  void answer(const Envelope& call) {
    std::string payload;
    core::JsonWriter json(payload);
    json.begin_object().key("ok").boolean(true).key("toolName").string("select");
    json.key("marker").string(agent_client::text_member(call.payload, "reason")).end_object();
    link_.send({"tool.result", "", call.id, std::move(payload)});
    link_.send({"state.updated", "", "", R"({"source":"host","uiSpec":{},"messageHistory":[]})"});
  }

  agent_client::RelayLink link_;
};

class StudyLoad::Agent final : private agent_client::AgentEvents {
 public:
  Agent(StudyLoad& load, const agent_client::ServerUrl& server, const std::string& token)
      : load_(load),
        client_(load.loop_, load.entropy_, load.network_,
                static_cast<agent_client::AgentEvents&>(*this),
                {.link = link_options(server, token, agent_client::LinkRole::agent)}) {}
  void start() { client_.start(); }
  void stop() { client_.stop(); }
  AgentClient& client() { return client_; }

  // Keeps kCallsAtATime tool calls in flight.
  void work() {
    while (client_.host_active() && client_.waiting() < kCallsAtATime) {
      {
        const std::scoped_lock lock(load_.mutex_);
        if (!load_.running_) return;
        ++load_.under_way_;
      }
      std::string marker = "<" + std::to_string(++calls_) + ">";
      const std::string reason = marker;
      client_.call_tool("select", R"({"itemId":"m1"})", reason,
                        [this, marker = std::move(marker)](core::Result<Reply> reply) {
                          on_result(marker, reply.has_value());
                        });
    }
  }

 private:
  void on_result(const std::string& marker, bool good) {
    {
      const std::scoped_lock lock(load_.mutex_);
      --load_.under_way_;
      if (good) load_.seen_.push_back({marker, load_.clock_.mono()});
    }
    load_.changed_.notify_all();
    work();
  }
  void on_presence(bool host_active, std::string_view /*payload*/) override {
    set_ready(host_active);
    work();
  }
  void on_lost(const core::Error& /*why*/, core::Millis /*pause*/) override { set_ready(false); }
  void on_ended(const core::Error& /*why*/) override { set_ready(false); }
  void set_ready(bool ready) {
    {
      const std::scoped_lock lock(load_.mutex_);
      load_.ready_ = ready;
    }
    load_.changed_.notify_all();
  }

  StudyLoad& load_;
  AgentClient client_;
  std::uint64_t calls_ = 0;
};

StudyLoad::StudyLoad(const agent_client::ServerUrl& server, std::string token)
    : host_(std::make_unique<Host>(*this, server, token)),
      agent_(std::make_unique<Agent>(*this, server, token)) {
  loop_.post([this] {
    host_->start();
    agent_->start();
  });
  thread_ = std::jthread([this] { loop_.run(); });
}

// Objects of the loop's thread are destroyed on it, before the loop.
StudyLoad::~StudyLoad() {
  loop_.post([this] {
    agent_->stop();
    host_->stop();
    loop_.stop();
  });
  thread_.join();
  agent_.reset();
  host_.reset();
}

bool StudyLoad::wait_until_joined(conformance::Deadline deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return ready_; });
}

core::Result<std::string> StudyLoad::ask(std::function<void(AgentClient::Done)> how,
                                         std::string_view member) {
  auto promise = std::make_shared<std::promise<core::Result<std::string>>>();
  auto answer = promise->get_future();
  loop_.post([how = std::move(how), promise, member] {
    how([promise, member](core::Result<Reply> reply) {
      if (!reply) {
        promise->set_value(core::fail(reply.error()));
      } else {
        promise->set_value(member.empty() ? reply->payload
                                          : agent_client::text_member(reply->payload, member));
      }
    });
  });
  if (answer.wait_for(kPatience) != std::future_status::ready) {
    return core::fail(core::Code::deadline_exceeded, "The agent got no answer.");
  }
  return answer.get();
}

core::Result<std::string> StudyLoad::start_study(const std::string& participant) {
  return ask(
      [this, participant](AgentClient::Done done) {
        agent_->client().start_session("kill-study", participant, std::move(done));
      },
      "sessionId");
}

core::Result<StudyLoad::Ended> StudyLoad::end_study() {
  const auto payload = ask(
      [this](AgentClient::Done done) {
        agent_->client().end_session("study-complete", std::move(done));
      },
      "");
  if (!payload) return core::fail(payload.error());
  return Ended{agent_client::text_member(*payload, "sessionId"),
               agent_client::text_member(*payload, "logFile")};
}

void StudyLoad::begin() {
  {
    const std::scoped_lock lock(mutex_);
    running_ = true;
  }
  loop_.post([this] { agent_->work(); });
}

void StudyLoad::rest() {
  std::unique_lock lock(mutex_);
  running_ = false;
  changed_.wait_for(lock, kPatience, [this] { return under_way_ == 0; });
}

bool StudyLoad::wait_for_results(std::size_t count, conformance::Deadline deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return seen_.size() >= count; });
}

std::vector<SeenResult> StudyLoad::seen() const {
  const std::scoped_lock lock(mutex_);
  return seen_;
}

}  // namespace parley::kill
