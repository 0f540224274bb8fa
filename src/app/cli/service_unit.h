// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace parley::app
