// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The URIs of Parley's MCP resources.
namespace parley::mcp {

enum class ResourceKind : std::uint8_t {
  question,    // parley://question/KEY
  run,         // parley://run/ID
  session,     // parley://session/ID
  attachment,  // parley://attachment/KEY/N: the N-th binary content of the answer to a question
};

// Limits of the parts of a URI.
inline constexpr std::size_t kMaxResourceIdBytes = 256;
inline constexpr std::size_t kMaxAttachmentNumber = 9'999;

struct ResourceName {
  ResourceKind kind = ResourceKind::question;
  std::string id;          // the key of a question; not encoded
  std::size_t number = 0;  // of an attachment, from 1
  bool operator==(const ResourceName&) const = default;
};

// A template of URIs (RFC 6570) and its description for clients.
struct ResourceTemplate {
  ResourceKind kind;
  std::string_view uri;
  std::string_view variable;  // whose values are ids
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view mime_type;  // empty: differs between resources
};

// In the order in which resources/list has the kinds.
inline constexpr std::array<ResourceTemplate, 4> kResourceTemplates = {{
    {ResourceKind::question, "parley://question/{key}", "key", "question", "Question to a person",
     "A question or a report, its state and its answer.", "application/json"},
    {ResourceKind::run, "parley://run/{id}", "id", "run", "Run of an agent",
     "The state of a run, its message and its reply.", "application/json"},
    {ResourceKind::session, "parley://session/{id}", "id", "session", "Transcript",
     "The questions and answers of an inbox, or the conversation with an agent.", "text/markdown"},
    {ResourceKind::attachment, "parley://attachment/{key}/{n}", "key", "attachment",
     "Attachment of an answer", "The n-th picture, recording or file of the answer to a question.",
     ""},
}};

const ResourceTemplate& template_of(ResourceKind kind);

// The URI, with every byte of the id that is not unreserved as %XX, as templates expand.
std::string uri_of(const ResourceName& name);
// Errors: std::nullopt for a text that is no URI of a resource.
std::optional<ResourceName> resource_named(std::string_view uri);

}  // namespace parley::mcp
