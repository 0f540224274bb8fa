// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Rows of the table for studies: relay, logs, booking.
#include "app/server/settings_rows.h"

namespace parley::app {
namespace {

using Type = SettingType;
using Relay = external_agent::RelayOptions;

constexpr std::string_view kWhether[] = {"auto", "yes", "no"};
constexpr std::string_view kHostPolicies[] = {"first", "newest"};
constexpr std::string_view kStudyLogs[] = {"file", "events", "off"};

constexpr Setting kStudyRows[] = {
    row<&Settings::external_agent_token>(
        "external_agent.require_token", {Type::choice, "auto", 0, 0, kWhether},
        "Whether agents, host pages and booking clients must bring a token. auto: unless the "
        "server listens on loopback only, has neither public_url nor tailscale, and the request "
        "comes straight from "
        "this computer (no proxy, a Host of this computer). no: everybody who reaches the server "
        "is allowed. Without a token they share the workspace of the default token."),
    row("external_agent.host_policy", {Type::choice, "first", 0, 0, kHostPolicies},
        "Which host of a session stays when a second one joins. A host that joins with takeover "
        "always replaces the first.",
        [](Settings& s, const SettingValue& v) {
          s.external_agent.newest_host = std::get<std::string>(v) == "newest";
        }),
    row<&Settings::external_agent, &Relay::host_timeout>(
        "external_agent.host_timeout", {Type::duration, "15s", 100, kHour},
        "How long an agent waits for the host's reply before it is told TOOL_EXECUTION_FAILED."),
    row<&Settings::external_agent, &Relay::host_silence>(
        "external_agent.host_silence", {Type::duration, "30s", kSecond, kHour},
        "A host that answers no ping for this long is disconnected."),
    row<&Settings::external_agent, &Relay::strict_sessions>(
        "external_agent.strict_sessions", {Type::boolean, "false"},
        "Refuse tool calls before session.start. Otherwise they are logged in an implicit study "
        "session."),
    row<&Settings::external_agent, &Relay::require_reason>(
        "external_agent.require_reason", {Type::boolean, "false"},
        "Refuse a tool call that gives no reason."),
    row<&Settings::external_agent, &Relay::max_envelope_bytes>(
        "external_agent.envelope_bytes", {Type::bytes, "4MiB", kKiB, 64 * kMiB},
        "The largest envelope; a larger one is answered INVALID_MESSAGE. Over limits.message_bytes "
        "the connection is closed."),
    row<&Settings::external_agent, &Relay::max_agents>("external_agent.agents",
                                                       {Type::integer, "64", 1, 10'000},
                                                       "Agents in one session; more are refused."),
    row<&Settings::external_agent, &Relay::max_requests>(
        "external_agent.requests", {Type::integer, "1024", 1, 100'000},
        "Requests of one session that wait for the host; more are refused."),
    row<&Settings::external_agent, &Relay::max_guest_bytes>(
        "external_agent.guest_bytes", {Type::bytes, "4GiB", 0, 1'024 * kGiB},
        "Bytes that all guests together may record within a day; each record counts as its bytes "
        "and 512 more. Further messages are refused. 0: no limit."),
    row<&Settings::external_agent, &Relay::max_guest_address_bytes>(
        "external_agent.guest_address_bytes", {Type::bytes, "1GiB", 0, 1'024 * kGiB},
        "The same for the guests of one address."),
    row<&Settings::study_log>(
        "studies.log", {Type::choice, "file", 0, 0, kStudyLogs},
        "What is kept of a study session. file: events, and logs/study/ID.jsonl in the data "
        "directory; events: no file; off: only that it was opened and closed."),
    row<&Settings::study_abandon_after>("studies.abandon_after",
                                        {Type::duration, "30m", 60 * kSecond, 30 * kDay},
                                        "An open study session whose host and agents have all been "
                                        "gone for this long is ended with the reason abandoned."),
    row<&Settings::study_records>(
        "studies.records", {Type::integer, "1000000", 0, 1'000'000'000},
        "Records of one study session; more are refused until it is ended. 0: any number."),
    row<&Settings::study_bytes>("studies.bytes", {Type::bytes, "256MiB", 0, 1'024 * kGiB},
                                "Bytes of the records of one study session; more are refused until "
                                "it is ended. 0: any number."),
    row<&Settings::study_kit>(
        "studies.kit", {Type::path},
        "A TOML file with the studies that participants can start: consent, conditions, scenarios. "
        "Empty: studies.toml in the data directory, if it is there."),
    row<&Settings::booking_prefix>("booking.prefix", {Type::text, "/booking"},
                                   "Where the booking backend is served for existing host pages, "
                                   "beside /v1/booking. Empty: nowhere else."),
    row<&Settings::booking_seed>(
        "booking.seed", {Type::integer, "1", 0, 4'294'967'295},
        "Seed of the sample data, which is generated when there is none yet."),
    row<&Settings::booking_days>("booking.days", {Type::integer, "14", 1, 366},
                                 "Days of showings in the sample data."),
};

}  // namespace

std::span<const Setting> study_settings() { return kStudyRows; }

}  // namespace parley::app
