// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/file_plan.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "agents/setup/entry_file.h"
#include "agents/setup/mcp_entry.h"
#include "base/core/ascii.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

tl::unexpected<core::Error> other_program() {
  return core::fail(
      core::Code::failed_precondition,
      "the entry \"" + std::string(kMcpName) + "\" runs another program; --force replaces it");
}

core::Result<std::string> text_after(const JsonDocument& document, const SetupNote& note) {
  PARLEY_TRY_VOID(document.verify());
  if (note.made_file && document.root().get_object().empty()) return std::string();
  return document.text();
}

core::Result<EditedText> edited(const JsonDocument& document) {
  PARLEY_TRY_VOID(document.verify());
  return EditedText{document.text(), document.created()};
}

std::string snippet_of(const json::value& value) {
  return pretty_json_value(value, "", "  ", "\n") + "\n";
}

core::Result<EditedText> install_member_wise(std::string_view text, const JsonPath& path,
                                             const json::object& entry, bool force) {
  PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
  const json::value* old = document.find(path);
  if (old != nullptr && !is_our_entry(*old)) {
    if (!force) return other_program();
    PARLEY_TRY_VOID(document.put(path, entry));
  } else if (old == nullptr) {
    PARLEY_TRY_VOID(document.put(path, entry));
  } else {
    // Members that the person has added stay.
    for (const auto& [name, value] : entry) {
      JsonPath member = path;
      member.emplace_back(name);
      PARLEY_TRY_VOID(document.put(member, value));
    }
  }
  return edited(document);
}

core::Result<std::string> remove_entry(std::string_view text, const JsonPath& path,
                                       const SetupNote& note) {
  PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
  const json::value* old = document.find(path);
  if (old == nullptr || !is_our_entry(*old)) return std::string(text);
  PARLEY_TRY_VOID(document.erase(path));
  PARLEY_TRY_VOID(remove_empty(document, note.created));
  return text_after(document, note);
}

using ReadEntry = core::Result<std::unique_ptr<EntryFile>> (*)(std::string_view, std::string,
                                                               std::string);

FilePart entry_file_part(const AgentFacts& agent, const std::string& program, bool force,
                         ReadEntry read) {
  FilePart part;
  part.title = "MCP entry";
  const std::string outer(agent.outer);
  const std::string name(kMcpName);
  part.install =
      [=, entry = mcp_entry(agent, program)](std::string_view text) -> core::Result<EditedText> {
    PARLEY_TRY(const std::unique_ptr<EntryFile> file, read(text, outer, name));
    const auto old = file->entry();
    if (old && !is_our_entry(*old) && !force) return other_program();
    const bool is_set = old && std::all_of(entry.begin(), entry.end(), [&](const auto& member) {
                          const json::value* value = old->if_contains(member.key());
                          return value != nullptr && *value == member.value();
                        });
    if (!is_set) file->put(entry);
    PARLEY_TRY_VOID(file->verify());
    return EditedText{file->text(), {}};
  };
  part.remove = [=](std::string_view text, const SetupNote& note) -> core::Result<std::string> {
    PARLEY_TRY(const std::unique_ptr<EntryFile> file, read(text, outer, name));
    const auto old = file->entry();
    if (!old || !is_our_entry(*old)) return std::string(text);
    file->erase();
    PARLEY_TRY_VOID(file->verify());
    const bool is_blank = core::trimmed(file->text()).empty();
    return note.made_file && is_blank ? std::string() : file->text();
  };
  return part;
}

// The index of a text in a list; std::nullopt: it is not there.
std::optional<std::size_t> place_in(const JsonDocument& document, const JsonPath& list,
                                    const std::string& value) {
  const json::value* found = document.find(list);
  if (found == nullptr || !found->is_array()) return std::nullopt;
  const json::array& elements = found->get_array();
  const auto* const at = std::find(elements.begin(), elements.end(), json::value(value));
  if (at == elements.end()) return std::nullopt;
  return static_cast<std::size_t>(at - elements.begin());
}

// Lines by which a file of parley's own is known.
bool is_own_text(std::string_view text) {
  return text.find("parley") != std::string_view::npos &&
         text.find("hook") != std::string_view::npos;
}

}  // namespace

FilePart mcp_json_part(JsonPath outer, json::object entry, bool force) {
  FilePart part;
  part.title = "MCP entry";
  JsonPath path = std::move(outer);
  path.emplace_back(kMcpName);
  part.snippet = snippet_of(nested_value(path, 0, entry));
  part.install = [path, force, members = std::move(entry)](std::string_view text) {
    return install_member_wise(text, path, members, force);
  };
  part.remove = [=](std::string_view text, const SetupNote& note) {
    return remove_entry(text, path, note);
  };
  return part;
}

FilePart mcp_toml_part(const AgentFacts& agent, const std::string& program, bool force) {
  FilePart part = entry_file_part(agent, program, force, read_toml_entry);
  part.snippet = toml_entry_text(agent.outer, kMcpName, mcp_entry(agent, program));
  return part;
}

FilePart mcp_yaml_part(const AgentFacts& agent, const std::string& program, bool force) {
  FilePart part = entry_file_part(agent, program, force, read_yaml_entry);
  part.snippet = yaml_entry_text(agent.outer, kMcpName, mcp_entry(agent, program));
  return part;
}

FilePart hooks_part(HookShape shape, std::vector<WantedHook> wanted) {
  FilePart part;
  part.kind = PartKind::hooks;
  part.title = "hooks";
  json::object events;
  for (const WantedHook& hook : wanted) {
    json::array list;
    list.emplace_back(hook_entry(shape, hook));
    events[hook.event] = std::move(list);
  }
  json::object whole;
  if (shape == HookShape::cursor_list) whole["version"] = 1;
  whole["hooks"] = std::move(events);
  part.snippet = snippet_of(whole);
  part.install = [shape,
                  hooks = std::move(wanted)](std::string_view text) -> core::Result<EditedText> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    PARLEY_TRY_VOID(install_hooks(document, shape, hooks));
    return edited(document);
  };
  part.remove = [](std::string_view text, const SetupNote& note) -> core::Result<std::string> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    PARLEY_TRY_VOID(remove_hooks(document));
    if (document.text() == text) return std::string(text);
    PARLEY_TRY_VOID(remove_empty(document, note.created));
    return text_after(document, note);
  };
  return part;
}

FilePart member_part(JsonPath path, std::string value) {
  FilePart part;
  part.title = "setting " + path.back();
  part.snippet = snippet_of(nested_value(path, 0, json::value(value)));
  part.install = [=](std::string_view text) -> core::Result<EditedText> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    PARLEY_TRY_VOID(document.put(path, json::value(value)));
    return edited(document);
  };
  part.remove = [=](std::string_view text, const SetupNote& note) -> core::Result<std::string> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    const bool is_made =
        std::find(note.created.begin(), note.created.end(), path) != note.created.end();
    const json::value* old = document.find(path);
    if (!is_made || old == nullptr || *old != json::value(value)) return std::string(text);
    PARLEY_TRY_VOID(document.erase(path));
    PARLEY_TRY_VOID(remove_empty(document, note.created));
    return text_after(document, note);
  };
  return part;
}

FilePart element_part(std::string title, JsonPath list, std::string value) {
  FilePart part;
  part.title = std::move(title);
  JsonPath behind = list;
  behind.emplace_back("-");
  part.snippet = snippet_of(nested_value(behind, 0, json::value(value)));
  part.install = [=](std::string_view text) -> core::Result<EditedText> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    if (!place_in(document, list, value)) PARLEY_TRY_VOID(document.put(behind, json::value(value)));
    return edited(document);
  };
  part.remove = [=](std::string_view text, const SetupNote& note) -> core::Result<std::string> {
    PARLEY_TRY(JsonDocument document, JsonDocument::parse(text));
    const auto place = place_in(document, list, value);
    if (!place) return std::string(text);
    JsonPath element = list;
    element.push_back(std::to_string(*place));
    PARLEY_TRY_VOID(document.erase(element));
    PARLEY_TRY_VOID(remove_empty(document, note.created));
    return text_after(document, note);
  };
  return part;
}

FilePart own_file_part(std::string title, std::string content) {
  FilePart part;
  part.kind = PartKind::hooks;
  part.title = std::move(title);
  part.is_own_file = true;
  part.snippet = content;
  part.install = [whole = std::move(content)](std::string_view text) -> core::Result<EditedText> {
    if (!core::trimmed(text).empty() && !is_own_text(text)) {
      return core::fail(core::Code::failed_precondition, "the file is not parley's");
    }
    return EditedText{whole, {}};
  };
  part.remove = [](std::string_view text, const SetupNote& /*note*/) -> core::Result<std::string> {
    return is_own_text(text) ? std::string() : std::string(text);
  };
  return part;
}

}  // namespace parley::setup
