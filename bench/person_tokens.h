// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace parley::bench {

// Resident memory of a process, in bytes.
double resident(pid_t pid);

// Makes the token "person-NUMBER" by the API of the server on this port, with its token `token`.
std::string make_token(std::uint16_t port, const std::string& token, int number);

}  // namespace parley::bench
