// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::shell {

// The folder that a command starts in, and the project around it. Paths are compared as text:
// symbolic links are not followed.
struct Place {
  std::string directory;  // absolute; empty: unknown
  std::string home;       // absolute; empty: unknown
};

// The absolute path of `path` as seen from `directory`, without "." and ".."; "~" is replaced.
// Empty: it depends on a folder that is unknown, or on another user's home.
std::string absolute_path(std::string_view path, std::string_view directory, const Place& place);

// True if a word of a command reads like the path of a file: it has a slash, or begins with "~" or
// "..".
bool is_path(std::string_view word);

// `path` is absolute in all of these.
bool is_within(std::string_view path, std::string_view directory);
// The standard input.
bool is_input_file(std::string_view path);
// A device without effect, as /dev/null.
bool is_harmless_device(std::string_view path);
// "/dev/tcp/host/port": bash opens a connection.
bool is_network_device(std::string_view path);
bool is_device(std::string_view path);
bool is_temporary(std::string_view path);
// Keys, passwords and tokens are kept there by common programs; `path` may be relative.
bool is_secret(std::string_view path);
// Other programs run it, at a login, at a commit or at a time; `path` may be relative.
bool runs_later(std::string_view path);

}  // namespace parley::shell
