// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace parley::tool {

// Variables as "NAME=value".
using Environment = std::vector<std::string>;

// Environment of this process.
Environment process_environment();

// True if a variable of this name probably holds a secret: the name ends in API_KEY, TOKEN, SECRET,
// PASSWORD and the like, in any case.
bool looks_secret(std::string_view name);

// The environment for programs that agents start (bash, MCP servers): the variables of
// kChildVariables, those that begin with LC_, and those listed in `named`. All others are withheld:
// the names of all keys and tokens cannot be known. A proxy address that contains a password is
// passed on only if it is named.
Environment for_children(Environment variables, const std::vector<std::string>& named);

inline constexpr std::array<std::string_view, 27> kChildVariables = {
    "PATH",          "HOME",           "USER",         "LOGNAME",        "SHELL",
    "LANG",          "LANGUAGE",       "TZ",           "TERM",           "COLORTERM",
    "NO_COLOR",      "TMPDIR",         "PWD",          "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME", "SSL_CERT_DIR", "SSL_CERT_FILE",  "http_proxy",
    "https_proxy",   "all_proxy",      "no_proxy",     "HTTP_PROXY",     "HTTPS_PROXY",
    "ALL_PROXY",     "NO_PROXY"};

// Value of a variable; empty if it is not set.
std::string_view value_of(const Environment& variables, std::string_view name);
// Sets a variable, replacing one of the same name.
void set_variable(Environment& variables, std::string_view name, std::string_view value);

}  // namespace parley::tool
