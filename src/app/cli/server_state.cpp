// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/server_state.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string_view>
#include <utility>

#include "app/cli/host_client.h"
#include "base/core/json_member.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "model/event/data_dir_lock.h"

namespace parley::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxShownQuestion = 72;  // bytes

const json::array& list_in(const json::object& answer, std::string_view name) {
  static const json::array kNone;
  const json::value* found = answer.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

std::optional<std::int64_t> number_in(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return found->get_int64();
}

std::string first_line(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view cut = core::utf8_truncate(line, kMaxShownQuestion);
  return core::visible_line(cut) + (cut.size() < text.size() ? "…" : "");
}

std::string text_of_prompt(const json::object& interaction) {
  const json::value* prompt = interaction.if_contains("prompt");
  if (prompt == nullptr || !prompt->is_object()) return {};
  return first_line(core::text_member(prompt->get_object(), "text"));
}

void add_channels(const json::array& list, bool devices, ServerState& state) {
  for (const json::value& one : list) {
    if (!one.is_object()) continue;
    const json::object& from = one.get_object();
    std::string kind = devices ? "push" : core::string_member(from, "kind");
    // A notifier "push" stands for all devices.
    if (!devices && kind == "push") continue;
    state.channels.push_back(
        {core::string_member(from, "name"), std::move(kind), core::string_member(from, "failure")});
  }
}

}  // namespace

void read_waiting(const json::object& answer, ServerState& state) {
  const json::array& list = list_in(answer, "interactions");
  state.waiting = static_cast<int>(list.size());
  const json::value* more = answer.if_contains("more");
  state.more = more != nullptr && more->is_bool() && more->get_bool();
  for (const json::value& one : list) {
    if (!one.is_object()) continue;
    const auto at = number_in(one.get_object(), "opened_at");
    if (!at || (state.oldest && *state.oldest <= core::from_unix_ms(*at))) continue;
    state.oldest = core::from_unix_ms(*at);
    state.oldest_text = text_of_prompt(one.get_object());
  }
}

void read_notifiers(const json::object& answer, ServerState& state) {
  add_channels(list_in(answer, "notifiers"), false, state);
}

void read_devices(const json::object& answer, ServerState& state) {
  add_channels(list_in(answer, "subscriptions"), true, state);
}

void read_reach(const json::object& answer, ServerState& state) {
  state.tls = core::string_member(answer, "mode");
  if (const auto end = number_in(answer, "expires_at")) state.tls_end = core::from_unix_ms(*end);
  state.away = core::string_member(answer, "away");
  for (const json::value& origin : list_in(answer, "origins")) {
    if (origin.is_string()) state.addresses.emplace_back(origin.get_string());
  }
}

core::Result<std::optional<mcp::RunningServer>> server_of(const std::string& data) {
  PARLEY_TRY_VOID(event::DataDirLock::is_held(data));
  return mcp::running_server(data);
}

std::string no_token_advice(const mcp::RunningServer& server, const std::string& data) {
  const std::string shown = core::visible_line(data);
  return "`parley token create --name NAME --data " + shown +
         "` makes a token: sign in with it at " + core::visible_line(server.access.base_url) +
         ", or write it to " + shown + "/token and start the server again.";
}

ServerState look_at_server(const std::string& data) {
  ServerState state;
  const auto held = event::DataDirLock::is_held(data);
  if (!held) {
    state.failure = held.error().message;
    return state;
  }
  state.holds_data = *held;
  state.server = mcp::running_server(data);
  if (!state.server) return state;
  const auto client = HostClient::of(state.server->access);
  const auto get = [&client](std::string path) -> core::Result<json::object> {
    auto answer = client->call("GET", std::move(path), kStateWait);
    if (!answer) return core::fail(std::move(answer.error()));
    return answer->is_object() ? answer->get_object() : json::object();
  };
  const auto me = get("/v1/me?notified=true");
  if (!me) {
    state.failure = me.error().message;
    state.lacks_token = me.error().code == core::Code::unauthenticated;
    return state;
  }
  state.pages = number_in(*me, "screens");
  state.notified = number_in(*me, "notified");
  const std::string pending =
      "/v1/interactions?state=pending&limit=" + std::to_string(kMaxCountedQuestions);
  if (const auto answer = get(pending)) read_waiting(*answer, state);
  if (const auto answer = get("/v1/notifiers")) read_notifiers(*answer, state);
  if (const auto answer = get("/v1/push/subscriptions")) read_devices(*answer, state);
  if (const auto answer = get("/v1/tls")) read_reach(*answer, state);
  return state;
}

std::string age_text(core::Millis age) {
  const std::int64_t seconds = std::max<std::int64_t>(age.count(), 0) / 1'000;
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3'600) return std::to_string(seconds / 60) + " min";
  constexpr std::int64_t kHour = 3'600;
  if (seconds < 48 * kHour) return std::to_string(seconds / kHour) + " h";
  return std::to_string(seconds / (24 * kHour)) + " days";
}

}  // namespace parley::app
