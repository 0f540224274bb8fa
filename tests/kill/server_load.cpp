// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/server_load.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>

#include "base/core/entropy.h"
#include "tools/conformance/http_client.h"
#include "tools/conformance/wire.h"

namespace parley::kill {
namespace json = boost::json;
namespace {

constexpr int kApiAgents = 3;
constexpr int kRpcAgents = 3;
constexpr int kPatienceMs = 60'000;
constexpr int kGlanceMs = 200;  // period of a reader's checks for stop(), in ms

std::string open_marker(const std::string& key) { return "<open " + key + ">"; }
std::string close_marker(const std::string& key) { return "<close " + key + ">"; }

struct HttpReply {
  int status = 0;
  json::value body;
};

// Sends a POST of JSON; std::nullopt: the server is gone.
std::optional<HttpReply> post(const conformance::Target& target, const std::string& path,
                              const std::string& token, const json::value& body,
                              const std::atomic<bool>& stop) {
  conformance::HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + token}};
  request.body = json::serialize(body);
  auto exchange =
      conformance::HttpExchange::start(target, request, conformance::in_ms(kPatienceMs));
  if (!exchange) return std::nullopt;
  while (!stop) {
    const auto head = (*exchange)->head(conformance::in_ms(kGlanceMs));
    if (!head && head.error().code == core::Code::deadline_exceeded) continue;
    if (!head) return std::nullopt;
    const auto text = (*exchange)->body(conformance::in_ms(kPatienceMs));
    if (!text) return std::nullopt;
    boost::system::error_code error;
    HttpReply reply{head->status, json::parse(*text, error)};
    if (error) return std::nullopt;
    return reply;
  }
  return std::nullopt;
}

std::string text_at(const json::value& value, std::string_view name) {
  const json::value* found = value.as_object().if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

std::uint64_t number_at(const json::value& value, std::string_view name) {
  const json::value* found = value.as_object().if_contains(name);
  return found != nullptr && found->is_number() ? found->to_number<std::uint64_t>() : 0;
}

}  // namespace

// --- acknowledgements ----------------------------------------------------------------------------

void Acknowledged::note(const std::string& session, const std::string& key, std::uint64_t seq,
                        const std::string& marker) {
  session_ = session;
  sent_.erase(key);
  events_.push_back({session, seq, marker});
  ++count_;
  changed_.notify_all();
}

void Acknowledged::opened(const std::string& session, const std::string& key, std::uint64_t seq) {
  const std::scoped_lock lock(mutex_);
  states_.try_emplace(key, std::vector<std::string>{"pending", "answered"});
  note(session, key, seq, open_marker(key));
}

void Acknowledged::closed(const std::string& session, const std::string& key, std::uint64_t seq) {
  const std::scoped_lock lock(mutex_);
  states_[key] = {"answered"};
  note(session, key, seq, close_marker(key));
}

void Acknowledged::seen(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  states_.try_emplace(key, std::vector<std::string>{"pending", "answered"});
  ++count_;
  changed_.notify_all();
}

void Acknowledged::answered(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  states_[key] = {"answered"};
  ++count_;
  changed_.notify_all();
}

void Acknowledged::sent(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  sent_.insert(key);
}

std::vector<std::string> Acknowledged::take_unacknowledged() {
  const std::scoped_lock lock(mutex_);
  const std::set<std::string> taken = std::exchange(sent_, {});
  return {taken.begin(), taken.end()};
}

std::vector<std::string> Acknowledged::may_be_pending() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [key, states] : states_) {
    if (states.size() > 1) out.push_back(key);
  }
  return out;
}

Expectations Acknowledged::expectations() const {
  const std::scoped_lock lock(mutex_);
  Expectations out;
  out.events = events_;
  if (session_.empty()) return out;
  for (const auto& [key, states] : states_) out.interactions.push_back({session_, key, states});
  return out;
}

std::size_t Acknowledged::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

bool Acknowledged::wait_for_count(std::size_t wanted, conformance::Deadline deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return count_ >= wanted; });
}

// --- the clients ---------------------------------------------------------------------------------

ServerLoad::ServerLoad(const conformance::Target& target, std::string token, std::string life,
                       std::uint64_t seed, std::shared_ptr<const conformance::ProtoSchema> schema,
                       Acknowledged& acknowledged)
    : target_(target),
      token_(std::move(token)),
      life_(std::move(life)),
      seed_(seed),
      schema_(std::move(schema)),
      acknowledged_(acknowledged) {
  clients_.emplace_back([this] { user_interface(); });
  for (int i = 0; i < kApiAgents; ++i) clients_.emplace_back([this, i] { api_agent(i); });
  for (int i = 0; i < kRpcAgents; ++i) clients_.emplace_back([this, i] { rpc_agent(i); });
}

ServerLoad::~ServerLoad() {
  stop_ = true;
  clients_.clear();
}

bool ServerLoad::ask_over_v1(const std::string& key) {
  acknowledged_.sent(key);
  const json::value body = {{"key", key},
                            {"prompt", {{"text", open_marker(key)}, {"timeout_s", 3600}}}};
  const auto reply = post(target_, "/v1/interactions", token_, body, stop_);
  if (!reply || (reply->status != 201 && reply->status != 200)) return false;
  const std::string session = text_at(reply->body, "session");
  acknowledged_.opened(session, key, number_at(reply->body, "opened_seq"));
  return true;
}

bool ServerLoad::answer_over_v1(const std::string& key) {
  const json::value body = {{"text", close_marker(key)}};
  const auto reply = post(target_, "/v1/interactions/" + key + "/answer", token_, body, stop_);
  if (!reply) return false;
  if (reply->status != 200 && reply->status != 409) return false;
  const json::value& interaction = reply->body.at("interaction");
  const std::string session = text_at(interaction, "session");
  acknowledged_.closed(session, key, number_at(interaction, "closed_seq"));
  return true;
}

bool ServerLoad::ask_over_rpc(const std::string& key) {
  const json::value body = {
      {"ID", key},
      {"UserToken", token_},
      {"Request", {{"ProjectDirectory", "/p"}, {"Question", open_marker(key)}, {"Timeout", 3600}}}};
  const auto reply =
      post(target_, "/agentassistproto.SrvAgentAssist/AskQuestion", token_, body, stop_);
  if (!reply || reply->status != 200) return false;
  const json::value* failed = reply->body.as_object().if_contains("IsError");
  if (failed != nullptr && failed->is_bool() && failed->get_bool()) return false;
  acknowledged_.answered(key);
  return true;
}

void ServerLoad::api_agent(int number) {
  core::SeededEntropy random(seed_ + static_cast<std::uint64_t>(number) + 1);
  for (const std::string& key : acknowledged_.take_unacknowledged()) {
    if (stop_ || !ask_over_v1(key)) return;
  }
  for (int n = 0; !stop_; ++n) {
    const std::string key = life_ + "-v" + std::to_string(number) + "-" + std::to_string(n);
    if (!ask_over_v1(key)) return;
    if (random.next_u64() % 8 != 0 && !answer_over_v1(key)) return;
  }
}

void ServerLoad::rpc_agent(int number) {
  for (int n = 0; !stop_; ++n) {
    const std::string key = life_ + "-rpc" + std::to_string(number) + "-" + std::to_string(n);
    if (!ask_over_rpc(key)) return;
  }
}

// Answers the questions of the RPC agents; its answers to /v1 questions race with those of the
// API.
void ServerLoad::user_interface() {
  conformance::WebSocketSettings settings;
  settings.path = "/ws?gen=2&ack=1";
  settings.codec.kind = conformance::Codec::Kind::proto;
  settings.codec.schema = schema_;
  settings.codec.message = "agentassistproto.WebsocketMessage";
  auto wire = conformance::open_websocket(target_, settings, conformance::in_ms(kPatienceMs));
  if (!wire) return;
  conformance::Outgoing login;
  login.message = json::value{{"Cmd", "UserLogin"}, {"StrParam", token_}, {"Nickname", "person"}};
  if (!(*wire)->send(login, conformance::in_ms(kPatienceMs))) return;
  while (!stop_) {
    const auto received = (*wire)->receive(conformance::in_ms(kGlanceMs));
    if (!received && received.error().code == core::Code::deadline_exceeded) continue;
    if (!received || received->kind == conformance::Received::Kind::closed) return;
    const std::string cmd = text_at(received->value, "Cmd");
    const json::value* request = received->value.as_object().if_contains("AskQuestionRequest");
    if (request == nullptr) continue;
    const std::string key = text_at(*request, "ID");
    if (cmd == "AskQuestionReplyNotification") acknowledged_.answered(key);
    if (cmd != "AskQuestion") continue;
    acknowledged_.seen(key);
    if (key.find("-rpc") == std::string::npos) continue;
    conformance::Outgoing reply;
    const json::value content = {{"type", 1},
                                 {"text", {{"type", "text"}, {"text", close_marker(key)}}}};
    reply.message =
        json::value{{"Cmd", "AskQuestionReply"},
                    {"AskQuestionRequest", {{"ID", key}}},
                    {"AskQuestionResponse", {{"ID", key}, {"contents", json::array({content})}}}};
    if (!(*wire)->send(reply, conformance::in_ms(kPatienceMs))) return;
  }
}

}  // namespace parley::kill
