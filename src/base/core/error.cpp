// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/error.h"

#include <array>

namespace parley::core {
namespace {

struct CodeRow {
  std::string_view name;
  int http_status;
};

// Indexed by Code. The statuses are those of the Connect protocol's error table.
constexpr std::array<CodeRow, 17> kCodes = {{
    {"canceled", 499},
    {"unknown", 500},
    {"invalid_argument", 400},
    {"deadline_exceeded", 504},
    {"not_found", 404},
    {"already_exists", 409},
    {"permission_denied", 403},
    {"resource_exhausted", 429},
    {"failed_precondition", 400},
    {"aborted", 409},
    {"out_of_range", 400},
    {"unimplemented", 501},
    {"internal", 500},
    {"unavailable", 503},
    {"data_loss", 500},
    {"unauthenticated", 401},
    {"unavailable", 503},
}};

}  // namespace

std::string_view code_name(Code code) { return kCodes.at(static_cast<std::size_t>(code)).name; }

int http_status(Code code) { return kCodes.at(static_cast<std::size_t>(code)).http_status; }

}  // namespace parley::core
