// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/program_notes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "shell/git_notes.h"
#include "shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::array<std::string_view, 24> kNetworkPrograms = {
    "curl",   "wget",     "aria2c", "http",  "https", "xh",   "nc",          "ncat",
    "netcat", "socat",    "telnet", "ftp",   "sftp",  "ssh",  "scp",         "lftp",
    "dig",    "nslookup", "ping",   "whois", "gh",    "glab", "ssh-copy-id", "twine"};

struct Verb {
  std::string_view program;
  std::string_view verb;
};
constexpr std::array<Verb, 38> kInstalls = {
    {{"npm", "install"},      {"npm", "i"},           {"npm", "ci"},        {"npm", "update"},
     {"npm", "add"},          {"pnpm", "install"},    {"pnpm", "i"},        {"pnpm", "add"},
     {"pnpm", "update"},      {"yarn", "add"},        {"yarn", "install"},  {"yarn", "upgrade"},
     {"bun", "install"},      {"bun", "add"},         {"pip", "install"},   {"pip3", "install"},
     {"pipx", "install"},     {"uv", "add"},          {"uv", "sync"},       {"uv", "pip"},
     {"poetry", "add"},       {"poetry", "install"},  {"apt", "install"},   {"apt-get", "install"},
     {"dnf", "install"},      {"yum", "install"},     {"brew", "install"},  {"apk", "add"},
     {"snap", "install"},     {"flatpak", "install"}, {"cargo", "install"}, {"cargo", "add"},
     {"go", "install"},       {"go", "get"},          {"gem", "install"},   {"bundle", "install"},
     {"composer", "install"}, {"composer", "require"}}};
constexpr std::array<Verb, 10> kFetchedPrograms = {{{"npx", ""},
                                                    {"pnpx", ""},
                                                    {"bunx", ""},
                                                    {"uvx", ""},
                                                    {"npm", "exec"},
                                                    {"npm", "create"},
                                                    {"npm", "init"},
                                                    {"pnpm", "dlx"},
                                                    {"yarn", "dlx"},
                                                    {"pipx", "run"}}};
// Tasks whose commands are in files of the project.
constexpr std::array<Verb, 24> kTasks = {
    {{"make", ""},    {"just", ""},       {"task", ""},     {"rake", ""},     {"gradle", ""},
     {"gradlew", ""}, {"mvn", ""},        {"mvnw", ""},     {"ninja", ""},    {"tox", ""},
     {"npm", "run"},  {"npm", "test"},    {"npm", "start"}, {"pnpm", "run"},  {"pnpm", "test"},
     {"yarn", "run"}, {"yarn", "test"},   {"bun", "run"},   {"cargo", "run"}, {"cargo", "test"},
     {"go", "run"},   {"go", "generate"}, {"uv", "run"},    {"poetry", "run"}}};
constexpr std::array<Verb, 22> kRemoteChanges = {
    {{"kubectl", "delete"},    {"kubectl", "apply"},  {"kubectl", "drain"}, {"kubectl", "scale"},
     {"kubectl", "replace"},   {"kubectl", "patch"},  {"kubectl", "exec"},  {"terraform", "apply"},
     {"terraform", "destroy"}, {"tofu", "apply"},     {"tofu", "destroy"},  {"helm", "install"},
     {"helm", "upgrade"},      {"helm", "uninstall"}, {"helm", "rollback"}, {"pulumi", "up"},
     {"pulumi", "destroy"},    {"npm", "publish"},    {"npm", "unpublish"}, {"cargo", "publish"},
     {"twine", "upload"},      {"docker", "push"}}};
constexpr std::array<Verb, 13> kStopsMachine = {{{"shutdown", ""},
                                                 {"reboot", ""},
                                                 {"poweroff", ""},
                                                 {"halt", ""},
                                                 {"systemctl", "stop"},
                                                 {"systemctl", "disable"},
                                                 {"systemctl", "mask"},
                                                 {"systemctl", "restart"},
                                                 {"systemctl", "poweroff"},
                                                 {"systemctl", "reboot"},
                                                 {"iptables", ""},
                                                 {"nft", ""},
                                                 {"ufw", ""}}};
constexpr std::array<std::string_view, 6> kClouds = {"aws", "gcloud", "az", "gh", "glab", "doctl"};
constexpr std::array<std::string_view, 10> kCloudChanges = {
    "delete",  "rm",    "rb",    "remove", "terminate-instances",
    "destroy", "merge", "purge", "rotate", "delete-stack"};

bool is_listed(const auto& table, const Call& call) {
  const std::string_view verb = call.verb();
  return std::any_of(table.begin(), table.end(), [&](const Verb& row) {
    return row.program == call.name && (row.verb.empty() || row.verb == verb);
  });
}

// "user@host:path" or "host:path", as of scp.
std::string_view remote_host(std::string_view operand) {
  const std::size_t colon = operand.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view host = operand.substr(0, colon);
  if (host.find('/') != std::string_view::npos || operand.substr(colon).starts_with("://"))
    return {};
  const std::size_t at = host.rfind('@');
  return at == std::string_view::npos ? host : host.substr(at + 1);
}

bool has_remote_operand(const Call& call) {
  const std::vector<const Word*> operands = call.operands();
  return std::any_of(operands.begin(), operands.end(),
                     [](const Word* word) { return !remote_host(word->text).empty(); });
}

// curl and wget with a file, scp and rsync with a remote target, a pipe into netcat.
bool sends(const Call& call) {
  const std::vector<const Word*> operands = call.operands();
  if (call.name == "scp" || call.name == "rsync") {
    return !operands.empty() && !remote_host(operands.back()->text).empty();
  }
  if (call.name == "nc" || call.name == "ncat" || call.name == "netcat" || call.name == "socat") {
    using Kind = Redirect::Kind;
    const auto& redirects = call.command->redirects;
    const bool reads = std::any_of(redirects.begin(), redirects.end(),
                                   [](const Redirect& each) { return each.kind == Kind::read; });
    return reads || !call.command->feed.empty();
  }
  if (call.name != "curl" && call.name != "wget" && call.name != "http") return false;
  if (call.value_of("-T", "--upload-file") || call.value_of("", "--post-file") ||
      call.value_of("", "--body-file")) {
    return true;
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string_view text(call.arguments[i].text);
    const bool has_data = text.starts_with("-d") || text.starts_with("--data") ||
                          text.starts_with("-F") || text.starts_with("--form");
    if (!has_data) continue;
    const Word& value = i + 1 < call.arguments.size() ? call.arguments[i + 1] : call.arguments[i];
    if (value.text.find('@') != std::string::npos || text.find('@') != std::string_view::npos ||
        !value.inner.empty() || !call.arguments[i].inner.empty()) {
      return true;
    }
  }
  return false;
}

// "ssh [options] host [command]".
void note_ssh(const Call& call, Notes& notes) {
  constexpr std::string_view kValued = "bcDEeFIiJLlmOopQRSWw";
  std::size_t at = 0;
  while (at < call.arguments.size() && call.arguments[at].text.starts_with('-')) {
    const std::string& option = call.arguments[at].text;
    at += option.size() == 2 && kValued.find(option[1]) != std::string_view::npos ? 2 : 1;
  }
  if (at >= call.arguments.size()) return;
  const std::string& host = call.arguments[at].text;
  notes.add(NoteKind::network, host.substr(host.rfind('@') + 1));
  std::string line;
  for (++at; at < call.arguments.size(); ++at) {
    line.append(line.empty() ? "" : " ").append(call.arguments[at].text);
  }
  if (!line.empty()) notes.add(NoteKind::remote_command, line);
}

void note_network(const Call& call, Notes& notes) {
  if (sends(call)) notes.add(NoteKind::sends_file, call.line());
  bool has_host = false;
  for (const Word& word : call.arguments) {
    has_host = note_hosts(word.text, notes) || has_host;
    const bool copies = call.name == "scp" || call.name == "rsync" || call.name == "git";
    const std::string_view host = copies ? remote_host(word.text) : std::string_view();
    if (host.empty()) continue;
    notes.add(NoteKind::network, host);
    has_host = true;
  }
  if (call.name == "ssh") {
    note_ssh(call, notes);
  } else if (!has_host && uses_network(call) && call.name != "git") {
    notes.add(NoteKind::network, call.name);  // of git, its own note says what goes where
  }
}

void note_containers(const Call& call, Notes& notes) {
  if (call.name != "docker" && call.name != "podman" && call.name != "nerdctl") return;
  if (call.has_option({"--privileged", "--pid=host"})) {
    notes.add(NoteKind::administrator, call.line());
  }
  for (const Word& word : call.arguments) {
    const std::string_view text(word.text);
    const std::size_t at = text.find(":/");
    const std::string_view from = text.substr(text.starts_with("-v") ? 2 : 0);
    if (at != std::string_view::npos && (from.starts_with("/:") || from.starts_with("/etc:") ||
                                         from.find("docker.sock:") != std::string_view::npos)) {
      notes.add(NoteKind::administrator, call.line());
    }
  }
}

// A mode that lets everybody write, or runs as the owner.
bool opens_rights(std::string_view mode) {
  const bool is_octal =
      !mode.empty() && mode.find_first_not_of("01234567") == std::string_view::npos;
  if (is_octal) {
    const bool all_write = std::string_view("2367").find(mode.back()) != std::string_view::npos;
    return all_write || (mode.size() == 4 && mode.front() >= '2');
  }
  const std::size_t sign = mode.find_first_of("+=");
  if (sign == std::string_view::npos) return false;
  const std::string_view whose = mode.substr(0, sign);
  const std::string_view what = mode.substr(sign + 1);
  const bool is_all = whose.find_first_of("ao") != std::string_view::npos;
  return what.find('s') != std::string_view::npos ||
         (is_all && what.find('w') != std::string_view::npos);
}

void note_processes(const Call& call, Notes& notes) {
  const std::vector<const Word*> operands = call.operands();
  if (call.name == "kill" || call.name == "pkill" || call.name == "killall") {
    const bool is_all = call.name == "kill" && !call.arguments.empty() &&
                        call.arguments.size() > 1 && call.arguments.back().text == "-1";
    notes.add(is_all ? NoteKind::stops_machine : NoteKind::stops_process, call.line());
  }
  if (is_listed(kStopsMachine, call)) notes.add(NoteKind::stops_machine, call.line());
  if (call.name == "crontab" && !call.has_option({"-l"}))
    notes.add(NoteKind::runs_later, call.line());
  if (call.name == "at" || call.name == "batch") notes.add(NoteKind::runs_later, call.line());
  if (call.name == "alias" && !operands.empty()) notes.add(NoteKind::changes_lookup, call.line());
  if (call.name == "chmod" && !operands.empty() && opens_rights(operands.front()->text)) {
    notes.add(NoteKind::opens_rights, call.line());
  }
  if (call.name == "find" && call.has_option({"-delete"})) {
    notes.add(NoteKind::deletes_widely, call.line());
  }
  if (call.name.starts_with("mkfs")) notes.add(NoteKind::overwrites_device, call.line());
}

}  // namespace

bool note_hosts(std::string_view word, Notes& notes) {
  bool found = false;
  for (std::size_t at = word.find("://"); at != std::string_view::npos;
       at = word.find("://", at + 3)) {
    std::size_t begin = at;
    while (begin > 0 && std::isalnum(static_cast<unsigned char>(word[begin - 1])) != 0) --begin;
    const std::string_view scheme = word.substr(begin, at - begin);
    if (scheme.empty() || scheme == "file") continue;
    std::string_view host = word.substr(at + 3);
    host = host.substr(0, host.find_first_of("/?# \t\n\"'\\;|&<>"));
    const std::size_t user = host.rfind('@');
    if (user != std::string_view::npos) host.remove_prefix(user + 1);
    if (host.empty()) continue;
    notes.add(NoteKind::network, host);
    found = true;
  }
  return found;
}

bool uses_network(const Call& call) {
  if (call.name == "git") return git_uses_network(call);
  if (call.name == "rsync") return has_remote_operand(call);
  if (call.name == "docker" || call.name == "podman") {
    const std::string_view verb = call.verb();
    return verb == "pull" || verb == "push" || verb == "run" || verb == "build" || verb == "login";
  }
  return is_in(kNetworkPrograms, call.name) || is_in(kClouds, call.name) ||
         is_listed(kRemoteChanges, call);
}

bool decodes(const Call& call) {
  if (call.name == "base64" || call.name == "base32" || call.name == "basenc") {
    return call.has_flag('d', "--decode") || call.has_flag('D', "");
  }
  if (call.name == "xxd") return call.has_flag('r', "-revert");
  if (call.name == "openssl") return call.has_option({"-d", "-decrypt"});
  return call.name == "gunzip" || call.name == "zcat" || call.name == "uudecode" ||
         call.name == "xzcat" || call.name == "gpg" ||
         (call.name == "gzip" && call.has_flag('d', "--decompress"));
}

void note_program(const Call& call, Notes& notes) {
  for (const std::string& wrapper : call.wrappers) {
    const bool is_admin =
        wrapper == "sudo" || wrapper == "doas" || wrapper == "pkexec" || wrapper == "chroot";
    if (is_admin) notes.add(NoteKind::administrator, wrapper + " " + call.line());
  }
  const bool is_admin_itself = call.name == "sudo" || call.name == "su" || call.name == "doas";
  if (is_admin_itself) notes.add(NoteKind::administrator, call.line());
  note_network(call, notes);
  note_containers(call, notes);
  note_processes(call, notes);
  if (is_listed(kInstalls, call) || is_listed(kFetchedPrograms, call)) {
    notes.add(NoteKind::installs, call.line());
  }
  if (is_listed(kTasks, call)) notes.add(NoteKind::script, call.line());
  if (is_listed(kRemoteChanges, call)) notes.add(NoteKind::changes_remote, call.line());
  if (is_in(kClouds, call.name)) {
    const bool changes =
        std::any_of(call.arguments.begin(), call.arguments.end(), [](const Word& word) {
          return is_in(kCloudChanges, word.text) || word.text.starts_with("delete-");
        });
    if (changes || call.has_option({"DELETE"})) notes.add(NoteKind::changes_remote, call.line());
  }
  if (call.name == "git") note_git(call, notes);
}

}  // namespace parley::shell
