// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/program_notes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "base/shell/carried.h"
#include "base/shell/git_notes.h"
#include "base/shell/options.h"
#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

constexpr std::array<std::string_view, 24> kNetworkPrograms = {
    "curl",   "wget",     "aria2c", "http",  "https", "xh",   "nc",          "ncat",
    "netcat", "socat",    "telnet", "ftp",   "sftp",  "ssh",  "scp",         "lftp",
    "dig",    "nslookup", "ping",   "whois", "gh",    "glab", "ssh-copy-id", "twine"};

// Letters of curl's options without a value.
constexpr std::string_view kCurlFlags = "#012346aBfgGiIjJklLMnNOpqRsSvVZ";

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

// The verb may be behind options with values: any argument counts.
bool is_listed(const auto& table, const Call& call) {
  return std::any_of(table.begin(), table.end(), [&](const Verb& row) {
    return row.program == call.name && (row.verb.empty() || call.has_operand(row.verb));
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

bool is_remote(std::string_view operand) {
  return operand.find("://") != std::string_view::npos || !remote_host(operand).empty();
}

bool has_remote_operand(const Call& call) {
  const std::vector<const Word*> operands = call.operands();
  return std::any_of(operands.begin(), operands.end(),
                     [](const Word* word) { return is_remote(word->text); });
}

// True if the input of the call goes to another computer.
bool sends_input(const Call& call) {
  constexpr std::string_view kSenders = "nc ncat netcat socat ssh";
  const auto& redirects = call.command->redirects;
  const bool has_input = std::any_of(redirects.begin(), redirects.end(),
                                     [](const Redirect& each) { return each.is_input; });
  return has_word(kSenders, call.name) && (has_input || !call.command->feed.empty());
}

// curl and wget with a file or the output of a command, scp and rsync with a remote target.
bool sends(const Call& call) {
  constexpr std::string_view kData =
      "d data data-ascii data-binary data-raw data-urlencode F form form-string json url-query "
      "post-data body-data";
  const std::vector<const Word*> operands = call.operands();
  if (call.name == "scp" || call.name == "rsync") {
    return !operands.empty() && is_remote(operands.back()->text);
  }
  if (sends_input(call)) return true;
  if (call.name != "curl" && call.name != "wget" && call.name != "http") return false;
  if (!call.values_of("T upload-file post-file body-file", kCurlFlags).empty()) return true;
  const std::vector<Word> data = call.values_of(kData, kCurlFlags);
  const bool has_file = std::any_of(data.begin(), data.end(), [](const Word& word) {
    return word.text.find('@') != std::string::npos || !word.inner.empty();
  });
  const bool has_output = std::any_of(operands.begin(), operands.end(),
                                      [](const Word* word) { return !word->inner.empty(); });
  return has_file || has_output;
}

// "ssh [options] host [command]".
void note_ssh(const Call& call, Notes& notes) {
  constexpr OptionTable kOptions = {"b B c D E e F I i J L l m O o p P Q R S W w", "", ""};
  const std::span<const Word> rest =
      call.arguments.subspan(read_options(call.arguments, 0, kOptions).end);
  if (rest.empty()) return;
  const std::string& host = rest.front().text;
  notes.add(NoteKind::network, host.substr(host.rfind('@') + 1));
  if (rest.size() > 1) notes.add(NoteKind::remote_command, line_of(rest.subspan(1)));
}

// A program that gives a connection to a shell: "nc -e", "socat EXEC:sh".
bool connects_program(const Call& call) {
  if (call.name == "socat") {
    return std::any_of(call.arguments.begin(), call.arguments.end(), [](const Word& word) {
      return word.text.find("EXEC:") != std::string::npos ||
             word.text.find("SYSTEM:") != std::string::npos ||
             word.text.find("exec:") != std::string::npos ||
             word.text.find("system:") != std::string::npos;
    });
  }
  const bool is_netcat = call.name == "nc" || call.name == "ncat" || call.name == "netcat";
  return is_netcat && !carried_by(call).empty();
}

void note_network(const Call& call, Notes& notes) {
  if (sends(call)) notes.add(NoteKind::sends_file, call.line());
  if (connects_program(call)) notes.add(NoteKind::runs_download, call.line());
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
  const bool has_machine =
      std::any_of(call.arguments.begin(), call.arguments.end(), [](const Word& word) {
        std::string_view from(word.text);
        for (const std::string_view front : {"-v", "--volume=", "--mount="}) {
          if (from.starts_with(front)) from.remove_prefix(front.size());
        }
        return from.starts_with("/:") || from.starts_with("/etc:") ||
               from.find("docker.sock:") != std::string_view::npos ||
               from.find("source=/,") != std::string_view::npos ||
               from.find("src=/,") != std::string_view::npos;
      });
  if (has_machine) notes.add(NoteKind::administrator, call.line());
}

// A part of a mode, as "u+s" or "a=rw".
bool opens_part(std::string_view part) {
  const std::size_t sign = part.find_first_of("+=");
  if (sign == std::string_view::npos) return false;
  const std::string_view what = part.substr(sign + 1);
  const bool is_all = part.substr(0, sign).find_first_of("ao") != std::string_view::npos;
  return what.find('s') != std::string_view::npos ||
         (is_all && what.find_first_of("wug") != std::string_view::npos);
}

// A mode that lets everybody write, or runs as the owner.
bool opens_rights(std::string_view mode) {
  constexpr unsigned kOpen = 06002;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(mode.data(), mode.data() + mode.size(), bits, 8);
  if (error == std::errc() && end == mode.data() + mode.size()) return (bits & kOpen) != 0;
  while (!mode.empty()) {
    const std::size_t comma = std::min(mode.find(','), mode.size());
    if (opens_part(mode.substr(0, comma))) return true;
    mode.remove_prefix(std::min(comma + 1, mode.size()));
  }
  return false;
}

std::vector<std::string> modes_of(const Call& call) {
  std::vector<std::string> modes;
  const std::vector<const Word*> operands = call.operands();
  if (call.name == "chmod" && !operands.empty()) modes.push_back(operands.front()->text);
  if (call.name != "install" && call.name != "mkdir") return modes;
  for (const Word& mode : call.values_of("m mode", "pvDdCcsZ")) modes.push_back(mode.text);
  return modes;
}

void note_processes(const Call& call, Notes& notes) {
  const std::vector<const Word*> operands = call.operands();
  if (call.name == "kill" || call.name == "pkill" || call.name == "killall") {
    const std::span<const Word> rest =
        call.arguments.subspan(std::min<std::size_t>(1, call.arguments.size()));
    const bool is_all =
        call.name == "kill" &&
        std::any_of(rest.begin(), rest.end(), [](const Word& word) { return word.text == "-1"; });
    notes.add(is_all ? NoteKind::stops_machine : NoteKind::stops_process, call.line());
  }
  if (is_listed(kStopsMachine, call)) notes.add(NoteKind::stops_machine, call.line());
  if (call.name == "crontab" && !call.has_option({"-l"}))
    notes.add(NoteKind::runs_later, call.line());
  if (call.name == "at" || call.name == "batch") notes.add(NoteKind::runs_later, call.line());
  if (call.name == "alias" && !operands.empty()) notes.add(NoteKind::changes_lookup, call.line());
  for (const std::string& mode : modes_of(call)) {
    if (opens_rights(mode)) notes.add(NoteKind::opens_rights, call.line());
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
    constexpr std::array<std::string_view, 5> kVerbs = {"pull", "push", "run", "build", "login"};
    return std::any_of(kVerbs.begin(), kVerbs.end(),
                       [&](std::string_view verb) { return call.has_operand(verb); });
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

void note_wrappers(const Call& call, Notes& notes) {
  for (const std::string& wrapper : call.wrappers) {
    const bool is_admin =
        wrapper == "sudo" || wrapper == "doas" || wrapper == "pkexec" || wrapper == "chroot";
    if (is_admin) notes.add(NoteKind::administrator, wrapper + " " + call.line());
  }
}

void note_program(const Call& call, Notes& notes) {
  constexpr std::string_view kAdministrators = "sudo su doas pkexec runuser sudoedit";
  if (has_word(kAdministrators, call.name)) notes.add(NoteKind::administrator, call.line());
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
