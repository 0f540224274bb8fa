// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/system_prompt.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/utf8.h"

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

// The file, symlinks resolved, if it is in the folder: one that leads out of a checkout would show
// the model what lies elsewhere. Else empty.
fs::path instructions_of(const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path file = fs::canonical(root / "AGENTS.md", error);
  if (error || !fs::is_regular_file(file, error)) return {};
  return *file.lexically_relative(root).begin() == ".." ? fs::path() : file;
}

// The beginning of a text file; empty if there is none or it is no text.
std::string instructions_in(const fs::path& folder) {
  const fs::path file = instructions_of(folder);
  if (file.empty()) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxAgentsFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
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

void add_instructions(std::string& prompt, const fs::path& folder) {
  const std::string text = instructions_in(folder);
  if (!text.empty())
    add(prompt, "Instructions of " + (folder / "AGENTS.md").string() + ":\n" + text);
}

}  // namespace

std::string system_prompt(const Profile& profile, const std::string& working_folder) {
  std::error_code error;
  return system_prompt(profile, working_folder, fs::current_path(error).string());
}

std::string system_prompt(const Profile& profile, const std::string& working_folder,
                          const std::string& current_folder) {
  std::string prompt;
  add(prompt, profile.role.empty() ? kDefaultRole : std::string_view(profile.role));
  std::error_code error;
  const bool same = fs::equivalent(current_folder, working_folder, error);
  if (!current_folder.empty() && !same) add_instructions(prompt, current_folder);
  if (!working_folder.empty()) {
    add_instructions(prompt, working_folder);
    add(prompt, "Your working folder is " + working_folder +
                    ". Paths that you give to tools are within it, or relative to it.");
  }
  add(prompt, kApprovals);
  return prompt;
}

}  // namespace parley::agent
