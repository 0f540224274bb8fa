// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/tool.h"

namespace parley::tool {

std::string_view approval_name(Approval approval) {
  switch (approval) {
    case Approval::automatic:
      return "auto";
    case Approval::ask:
      return "ask";
    case Approval::deny:
      break;
  }
  return "deny";
}

std::optional<Approval> approval_from_name(std::string_view name) {
  if (name == "auto") return Approval::automatic;
  if (name == "ask") return Approval::ask;
  if (name == "deny") return Approval::deny;
  return std::nullopt;
}

}  // namespace parley::tool
