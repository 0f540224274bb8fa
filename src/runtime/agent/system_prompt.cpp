// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/system_prompt.h"

#include <filesystem>
#include <system_error>

#include "base/core/utf8.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/workspace.h"

namespace parley::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultRole =
    "You are a careful assistant. Do what the person asks for with the tools that you have, look "
    "at "
    "what is there before you change it, and say plainly what you did and what you could not do.";
constexpr std::string_view kApprovals =
    "Some calls of tools wait until a person allows them. If a call is refused, do not try to "
    "reach "
    "the same by other means: go on without it, or ask what is wanted instead.";

// The beginning of AGENTS.md of a folder; empty if the file is missing or not text. A link that
// leads out of the folder is not followed: it would show the model files from elsewhere.
std::string instructions_in(const std::string& folder, const std::string& own_data) {
  const auto workspace = tool::Workspace::open(folder, own_data);
  if (!workspace) return {};
  const auto place = workspace->locate("AGENTS.md");
  if (!place) return {};
  const auto file = tool::open_to_read(*place);
  if (!file) return {};
  std::string text(kMaxAgentsFile + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got =
        tool::read_some(file->get(), text.data() + size, text.size() - size, place->path);
    if (!got) return {};
    if (*got == 0) break;
    size += *got;
  }
  text.resize(size);
  if (text.size() > kMaxAgentsFile) {
    text.resize(kMaxAgentsFile);
    text.resize(core::utf8_prefix(text));
    text += "\n[The rest of this file is left out.]";
  }
  return core::is_utf8(text) ? text : std::string();
}

void add(std::string& prompt, std::string_view paragraph) {
  if (paragraph.empty()) return;
  if (!prompt.empty()) prompt += "\n\n";
  prompt += paragraph;
}

void add_instructions(std::string& prompt, const std::string& folder, const std::string& own_data) {
  const std::string text = instructions_in(folder, own_data);
  if (!text.empty()) {
    add(prompt, "Instructions of " + (fs::path(folder) / "AGENTS.md").string() + ":\n" + text);
  }
}

}  // namespace

std::string system_prompt(const Profile& profile, const std::string& working_folder) {
  std::error_code error;
  return system_prompt(profile, working_folder, fs::current_path(error).string());
}

std::string system_prompt(const Profile& profile, const std::string& working_folder,
                          const std::string& current_folder, const std::string& own_data) {
  std::string prompt;
  add(prompt, profile.role.empty() ? kDefaultRole : std::string_view(profile.role));
  std::error_code error;
  const bool same = fs::equivalent(current_folder, working_folder, error);
  if (!current_folder.empty() && !same) add_instructions(prompt, current_folder, own_data);
  if (!working_folder.empty()) {
    add_instructions(prompt, working_folder, own_data);
    add(prompt, "Your working folder is " + working_folder +
                    ". Paths that you give to tools are within it, or relative to it.");
  }
  add(prompt, kApprovals);
  return prompt;
}

}  // namespace parley::agent
