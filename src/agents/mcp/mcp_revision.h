// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// The revisions of MCP. Their names are dates, so that they compare as texts.
namespace parley::mcp {

// The revision whose requests each name their revision in `params._meta`.
inline constexpr std::string_view kModernRevision = "2026-07-28";
// Revisions that begin with `initialize`, newest first.
inline constexpr std::array<std::string_view, 4> kLegacyRevisions = {"2025-11-25", "2025-06-18",
                                                                     "2025-03-26", "2024-11-05"};
inline constexpr std::string_view kLastWithBatches = "2025-03-26";

inline bool is_legacy(std::string_view revision) {
  return std::find(kLegacyRevisions.begin(), kLegacyRevisions.end(), revision) !=
         kLegacyRevisions.end();
}

inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// Errors of MCP beside those of JSON-RPC.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedRevision = -32022;
inline constexpr int kLegacyResourceNotFound = -32002;

}  // namespace parley::mcp
