// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/server/settings.h"
#include "base/core/clock.h"

namespace parley::app {

inline constexpr std::string_view kServiceName = "parley.service";

// systemd replaces variables in the arguments of a command, and not in the path of its program
// (systemd.service(5), "Command lines").
enum class UnitWord { program, argument };

// A word of a command in a unit file of systemd, in quotes; std::nullopt for control characters,
// which no unit file can hold.
std::optional<std::string> unit_word(std::string_view word, UnitWord kind);

// The text of the unit of a user's service that runs `command`; std::nullopt as unit_word().
std::optional<std::string> unit_text(const std::vector<std::string>& command);

// True for a text that unit_text() has made, by whichever version.
bool is_own_unit(std::string_view text);

// The file of the user's unit: below $XDG_CONFIG_HOME, else ~/.config.
std::string unit_file(std::string_view config_home, std::string_view home);

// Longest run of one call of systemctl.
inline constexpr core::Millis kSystemctlWait{30'000};

// Longest time until the server of a started service answers, and between two looks at it.
inline constexpr core::Millis kServiceStartWait{20'000};
inline constexpr core::Millis kStateInterval{100};

struct ServiceOptions {
  bool dry_run = false;
  bool json = false;
  std::string config_file;                                    // for `serve`; empty: none given
  std::vector<std::pair<std::string, std::string>> settings;  // flags for `serve`: key, text
};

// `parley service`: the server as a service of this user by systemd, in a unit file of the user.
// Install writes the file, enables and starts the service, or starts it again with the new flags,
// and waits until its server answers. A unit that Parley has not written is never replaced.
// `settings`: those with which it will run. Exit codes: 0, 1 systemd is not there or refuses, or
// the server does not answer, 6 another server has the data directory.
int install_service(const Settings& settings, const ServiceOptions& options);
// Stops and disables the service and removes its file. 0 also if it was not installed.
int uninstall_service(const ServiceOptions& options);
// Shows it. Exit codes: 0 it runs, 5 it does not.
int show_service(const ServiceOptions& options);

}  // namespace parley::app
