// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/place.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::array<std::string_view, 5> kHarmless = {"/dev/null", "/dev/stdin", "/dev/stdout",
                                                       "/dev/stderr", "/dev/tty"};
constexpr std::array<std::string_view, 3> kTemporary = {"/tmp", "/var/tmp", "/dev/shm"};

// Folders of a path.
constexpr std::array<std::string_view, 9> kSecretFolders = {".ssh",   ".gnupg",  ".aws",
                                                            ".kube",  ".azure",  ".password-store",
                                                            "gcloud", ".docker", "keyrings"};
// Names of files, whole.
constexpr std::array<std::string_view, 13> kSecretFiles = {
    ".netrc",      ".npmrc",           ".pypirc",     ".git-credentials", ".pgpass",
    ".env",        "shadow",           "id_rsa",      "id_ed25519",       "id_ecdsa",
    "credentials", "credentials.json", ".vault-token"};
constexpr std::array<std::string_view, 5> kSecretEnds = {".pem", ".p12", ".pfx", ".key", ".kdbx"};

constexpr std::array<std::string_view, 33> kStartFiles = {
    ".bashrc",          ".bash_profile",  ".profile",   ".bash_login",
    ".bash_logout",     ".bash_aliases",  ".zshrc",     ".zshenv",
    ".zprofile",        ".zlogin",        ".zlogout",   ".kshrc",
    ".cshrc",           ".tcshrc",        ".login",     ".envrc",
    ".gitconfig",       ".xinitrc",       ".xprofile",  ".xsession",
    ".pam_environment", ".vimrc",         ".tmux.conf", "crontab",
    "authorized_keys",  "sudoers",        "rc.local",   "ld.so.preload",
    "opencode.json",    "opencode.jsonc", ".mcp.json",  ".pre-commit-config.yaml",
    "sitecustomize.py"};
constexpr std::array<std::string_view, 21> kStartFolders = {
    "/.git/hooks/", "/.git/config", "/autostart/", "/LaunchAgents/", "/LaunchDaemons/", "/etc/cron",
    "/spool/cron",  "/systemd/",    "/init.d/",    "/sudoers.d/",    "/.claude/",       "/.codex/",
    "/.qwen/",      "/.gemini/",    "/.cursor/",   "/.opencode/",    "/.husky/",        "/.ssh/rc",
    "/.ssh/config", "/etc/profile", "/.vscode/"};

std::string_view name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

}  // namespace

std::string absolute_path(std::string_view path, std::string_view directory, const Place& place) {
  std::string whole;
  if (path == "~" || path.starts_with("~/")) {
    if (place.home.empty()) return {};
    whole = place.home + std::string(path.substr(1));
  } else if (path.starts_with('~')) {
    return {};
  } else if (path.starts_with('/')) {
    whole = path;
  } else {
    if (directory.empty()) return {};
    whole = std::string(directory) + "/" + std::string(path);
  }
  std::vector<std::string_view> parts;
  for (const std::string_view part : parts_of(whole)) {
    if (part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    parts.push_back(part);
  }
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  if (out.size() > kMaxPathBytes) return {};
  return out.empty() ? "/" : out;
}

bool is_path(std::string_view word) {
  if (word.find("://") != std::string_view::npos) return false;
  return word.starts_with('/') || word.starts_with('~') || word.starts_with("./") || word == ".." ||
         word.starts_with("../") || word.find('/') != std::string_view::npos;
}

bool is_within(std::string_view path, std::string_view directory) {
  if (!path.starts_with(directory)) return false;
  return directory == "/" || path.size() == directory.size() || path[directory.size()] == '/';
}

bool is_input_file(std::string_view path) {
  return path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

bool is_harmless_device(std::string_view path) {
  return is_in(kHarmless, path) || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

bool is_network_device(std::string_view path) {
  return path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
}

bool is_device(std::string_view path) {
  return path.starts_with("/dev/") && !is_harmless_device(path) && !is_temporary(path);
}

bool is_temporary(std::string_view path) {
  return std::any_of(kTemporary.begin(), kTemporary.end(),
                     [path](std::string_view folder) { return is_within(path, folder); });
}

bool is_secret(std::string_view path) {
  const std::string_view name = name_of(path);
  if (name.ends_with(".pub") || name == "known_hosts") return false;
  if (is_in(kSecretFiles, name) || name.starts_with(".env") || name.ends_with(".env")) {
    return !name.ends_with(".example") && !name.ends_with(".sample") &&
           !name.ends_with(".template") && !name.ends_with(".dist");
  }
  const bool has_end = std::any_of(kSecretEnds.begin(), kSecretEnds.end(),
                                   [name](std::string_view end) { return name.ends_with(end); });
  if (has_end) return true;
  const std::vector<std::string_view> parts = parts_of(path);
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return is_in(kSecretFolders, part); });
}

bool runs_later(std::string_view path) {
  if (is_in(kStartFiles, name_of(path))) return true;
  const std::string around = "/" + std::string(path);
  return std::any_of(kStartFolders.begin(), kStartFolders.end(), [&](std::string_view folder) {
    return around.find(folder) != std::string::npos;
  });
}

}  // namespace parley::shell
