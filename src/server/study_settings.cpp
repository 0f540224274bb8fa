// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The rows of the table that belong to studies: relay, logs, booking.
#include "server/settings_rows.h"

namespace parley::app {

namespace {

using Type = SettingType;

std::vector<Setting> relay_settings() {
  return {
      {"external_agent.require_token",
       Type::choice,
       "auto",
       0,
       0,
       {"auto", "yes", "no"},
       "Whether agents, host pages and booking clients must bring a token. auto: unless the "
       "server listens on loopback only, has no public_url, and the request comes straight from "
       "this computer (no proxy, a Host of this computer). no: whoever reaches the server is let "
       "in. Without one they share the workspace of the default token.",
       [](Settings& s, const SettingValue& v) { s.external_agent_token = text_of(v); }},
      {"external_agent.host_policy",
       Type::choice,
       "first",
       0,
       0,
       {"first", "newest"},
       "Which host of a session stays when a second one joins. A host that joins with "
       "takeover always replaces the first.",
       [](Settings& s, const SettingValue& v) {
         s.external_agent.newest_host = text_of(v) == "newest";
       }},
      {"external_agent.host_timeout",
       Type::duration,
       "15s",
       100,
       kHour,
       {},
       "How long an agent waits for the host's reply before it is told "
       "TOOL_EXECUTION_FAILED.",
       [](Settings& s, const SettingValue& v) { s.external_agent.host_timeout = time_of(v); }},
      {"external_agent.host_silence",
       Type::duration,
       "30s",
       kSecond,
       kHour,
       {},
       "A host that answers no ping for this long is gone.",
       [](Settings& s, const SettingValue& v) { s.external_agent.host_silence = time_of(v); }},
      {"external_agent.strict_sessions",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Refuse tool calls before session.start. Otherwise they are logged in an implicit "
       "study session.",
       [](Settings& s, const SettingValue& v) {
         s.external_agent.strict_sessions = std::get<bool>(v);
       }},
      {"external_agent.require_reason",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Refuse a tool call that gives no reason.",
       [](Settings& s, const SettingValue& v) {
         s.external_agent.require_reason = std::get<bool>(v);
       }},
  };
}

std::vector<Setting> relay_limits() {
  return {
      {"external_agent.envelope_bytes",
       Type::bytes,
       "4MiB",
       kKiB,
       64 * kMiB,
       {},
       "The largest envelope; a larger one is answered INVALID_MESSAGE. Over "
       "limits.message_bytes the connection is closed.",
       [](Settings& s, const SettingValue& v) {
         s.external_agent.max_envelope_bytes = size_of(v);
       }},
      {"external_agent.agents",
       Type::integer,
       "64",
       1,
       10'000,
       {},
       "Agents in one session; more are refused.",
       [](Settings& s, const SettingValue& v) { s.external_agent.max_agents = size_of(v); }},
      {"external_agent.requests",
       Type::integer,
       "1024",
       1,
       100'000,
       {},
       "Requests of one session that wait for the host; more are refused.",
       [](Settings& s, const SettingValue& v) { s.external_agent.max_requests = size_of(v); }},
      {"external_agent.guest_bytes",
       Type::bytes,
       "4GiB",
       0,
       1'024 * kGiB,
       {},
       "What all guests together may record within a day, a record as its bytes and 512 more; "
       "further messages are refused. 0: any number.",
       [](Settings& s, const SettingValue& v) { s.external_agent.max_guest_bytes = size_of(v); }},
      {"external_agent.guest_address_bytes",
       Type::bytes,
       "1GiB",
       0,
       1'024 * kGiB,
       {},
       "The same for the guests of one address.",
       [](Settings& s, const SettingValue& v) {
         s.external_agent.max_guest_address_bytes = size_of(v);
       }},
  };
}

std::vector<Setting> recording_settings() {
  return {
      {"studies.log",
       Type::choice,
       "file",
       0,
       0,
       {"file", "events", "off"},
       "What is kept of a study session. file: events, and logs/study/ID.jsonl in the data "
       "directory; events: no file; off: only that it was opened and closed.",
       [](Settings& s, const SettingValue& v) { s.study_log = text_of(v); }},
      {"studies.abandon_after",
       Type::duration,
       "30m",
       60 * kSecond,
       30 * kDay,
       {},
       "An open study session whose host and agents have all been gone for this long is ended "
       "with the reason abandoned.",
       [](Settings& s, const SettingValue& v) { s.study_abandon_after = time_of(v); }},
      {"studies.records",
       Type::integer,
       "1000000",
       0,
       1'000'000'000,
       {},
       "Records of one study session; more are refused until it is ended. 0: any number.",
       [](Settings& s, const SettingValue& v) { s.study_records = size_of(v); }},
      {"studies.bytes",
       Type::bytes,
       "256MiB",
       0,
       1'024 * kGiB,
       {},
       "Bytes of the records of one study session; more are refused until it is ended. 0: any "
       "number.",
       [](Settings& s, const SettingValue& v) { s.study_bytes = size_of(v); }},
      {"studies.kit",
       Type::path,
       "",
       0,
       0,
       {},
       "A TOML file with the studies that participants can start: consent, conditions, "
       "scenarios. Empty: studies.toml in the data directory, if it is there.",
       [](Settings& s, const SettingValue& v) { s.study_kit = text_of(v); }},
  };
}

std::vector<Setting> booking_settings() {
  return {
      {"booking.prefix",
       Type::text,
       "/booking",
       0,
       0,
       {},
       "Where the booking backend is served for existing host pages, beside /v1/booking. "
       "Empty: nowhere else.",
       [](Settings& s, const SettingValue& v) { s.booking_prefix = text_of(v); }},
      {"booking.seed",
       Type::integer,
       "1",
       0,
       4'294'967'295,
       {},
       "Number from which the sample data is made when there is none yet.",
       [](Settings& s, const SettingValue& v) {
         s.booking_seed = static_cast<std::uint32_t>(number_of(v));
       }},
      {"booking.days",
       Type::integer,
       "14",
       1,
       366,
       {},
       "Days of showings in the sample data.",
       [](Settings& s, const SettingValue& v) { s.booking_days = size_of(v); }},
  };
}

}  // namespace

std::vector<Setting> study_settings() {
  std::vector<Setting> out;
  for (const auto& part :
       {relay_settings(), relay_limits(), recording_settings(), booking_settings()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

}  // namespace parley::app
