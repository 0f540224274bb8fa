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

// This process's own.
Environment process_environment();

// Whether a variable of this name holds a secret by the look of it: it ends in API_KEY, TOKEN,
// SECRET, PASSWORD and the like, in any case.
bool looks_secret(std::string_view name);

// The environment of programs that agents start (bash, MCP servers): the variables of
// kChildVariables, those that begin with LC_, and those that `named` names. Everything else stays
// with this process: keys of providers and tokens have names that nobody can list. A proxy's
// address with a password in it crosses only if it is named.
Environment for_children(Environment variables, const std::vector<std::string>& named);

inline constexpr std::array<std::string_view, 27> kChildVariables = {
    "PATH",          "HOME",           "USER",         "LOGNAME",        "SHELL",
    "LANG",          "LANGUAGE",       "TZ",           "TERM",           "COLORTERM",
    "NO_COLOR",      "TMPDIR",         "PWD",          "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME", "SSL_CERT_DIR", "SSL_CERT_FILE",  "http_proxy",
    "https_proxy",   "all_proxy",      "no_proxy",     "HTTP_PROXY",     "HTTPS_PROXY",
    "ALL_PROXY",     "NO_PROXY"};

// The value of a variable; empty if it is not there.
std::string_view value_of(const Environment& variables, std::string_view name);
// Puts a variable in place of the one of that name.
void set_variable(Environment& variables, std::string_view name, std::string_view value);

}  // namespace parley::tool
