// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor_tls.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "app/server/tls_assembly.h"
#include "base/certificate/authority.h"
#include "base/certificate/server_certificate.h"
#include "base/core/time_text.h"

namespace parley::app {
namespace {

using certificate::TlsMode;
using State = Finding::State;

constexpr std::string_view kCheck = "tls";
constexpr std::chrono::days kWarnBefore{14};

Finding finding(State state, std::string detail) {
  return {state, std::string(kCheck), std::move(detail)};
}

Finding check_end(const std::string& what, core::WallTime end, core::WallTime now,
                  const std::string& advice) {
  const std::string time = core::time_text_ms(end).substr(0, std::string_view("2026-11-25").size());
  if (end <= now) return finding(State::fault, what + " expired on " + time + "; " + advice);
  const bool soon = end < now + kWarnBefore;
  return finding(soon ? State::warning : State::good,
                 what + " is valid until " + time + (soon ? "; " + advice : ""));
}

std::vector<Finding> check_own(const Settings& settings, core::WallTime now) {
  const auto end = certificate::end_of_file(settings.tls_cert);
  if (!end) return {finding(State::fault, end.error().message)};
  if (const auto key = certificate::read_key(settings.tls_key); !key) {
    return {finding(State::fault, key.error().message)};
  }
  return {check_end("own: " + settings.tls_cert, *end, now, "renew it and send SIGHUP.")};
}

// The certificate that the running server shows; its file can be another by now.
std::vector<Finding> check_served(const ServerState& state, core::WallTime now) {
  if (!state.tls_end) return {finding(State::good, "own")};
  return {check_end("own: the server's certificate", *state.tls_end, now,
                    "renew its file and send SIGHUP.")};
}

TlsMode mode_named(std::string_view name) {
  for (const TlsMode mode : {TlsMode::automatic, TlsMode::own}) {
    if (certificate::mode_name(mode) == name) return mode;
  }
  return TlsMode::off;
}

// The authority, which another mode does not need.
Finding check_authority(const std::string& data, TlsMode mode, core::WallTime now) {
  const auto authority = certificate::Authority::read(data, now);
  const bool needed = mode == TlsMode::automatic;
  if (authority) {
    return check_end("authority.pem, " + authority->fingerprint() + ",", authority->end(), now,
                     "move authority.pem and authority.key away for another one, which every "
                     "device must trust anew.");
  }
  if (authority.error().code != core::Code::not_found) {
    return finding(needed ? State::fault : State::warning, authority.error().message);
  }
  return finding(State::good,
                 needed ? "auto: the next start makes an authority" : "no authority of its own");
}

std::vector<Finding> check_automatic(const Settings& settings, core::WallTime now) {
  const std::string file = certificate::file_in(settings.data, certificate::kServerFile);
  const auto served = certificate::read_certificate(file);
  if (!served) {
    const bool missing = served.error().code == core::Code::not_found;
    return {finding(missing ? State::good : State::warning,
                    (missing ? "auto: there is no server.pem" : served.error().message) +
                        std::string("; the next start makes it."))};
  }
  const std::string advice = "the server renews it once an hour; start it, or send SIGHUP.";
  std::vector<Finding> out = {
      check_end("auto: server.pem", certificate::end_of(**served), now, advice)};
  // An expired one is renewed as well.
  if (out.back().state == State::fault) out.back().state = State::warning;
  const auto lacks = certificate::uncovered(**served, certificate_subjects(settings));
  if (!lacks.empty()) {
    out.push_back(finding(
        State::warning, "server.pem does not cover " + absl::StrJoin(lacks, ", ") + "; " + advice));
  }
  return out;
}

}  // namespace

std::vector<Finding> check_tls(const ServerState& state, const Settings& settings,
                               core::WallTime now) {
  const bool known = state.answers() && !state.tls.empty();
  const TlsMode mode = known ? mode_named(state.tls) : tls_mode(settings);
  if (mode == TlsMode::own) {
    std::vector<Finding> out = known ? check_served(state, now) : check_own(settings, now);
    const Finding authority = check_authority(settings.data, mode, now);
    if (authority.state != State::good) out.push_back(authority);
    return out;
  }
  const Finding authority = check_authority(settings.data, mode, now);
  if (mode == TlsMode::off) {
    if (authority.state == State::good) return {finding(State::good, "off")};
    return {finding(State::good, "off"), authority};
  }
  std::vector<Finding> out = check_automatic(settings, now);
  out.push_back(authority);
  return out;
}

}  // namespace parley::app
