// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// under_unit UNIT COMMAND...   runs a command under those lines of a systemd unit that filter
// system calls, in the same way as systemd: SystemCallFilter, RestrictAddressFamilies,
// RestrictNamespaces, MemoryDenyWriteExecute, NoNewPrivileges, UMask. For testing the unit without
// systemd. The names of sets are those of `systemd-analyze syscall-filter`.
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "under_unit: %s\n", why.c_str());
  std::exit(125);
}

using Lines = std::multimap<std::string, std::string>;

Lines lines_of(const std::string& unit) {
  std::ifstream in(unit);
  if (!in) give_up(unit + " cannot be read");
  Lines lines;
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    lines.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return lines;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Adds the calls of a set, and of the sets in it.
void add_set(const std::string& name, std::set<std::string>& into) {
  FILE* const pipe = popen(("systemd-analyze syscall-filter " + name).c_str(), "r");
  if (pipe == nullptr) give_up("systemd-analyze cannot be run");
  std::vector<std::string> found;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    if (line[0] == ' ' && line[4] != '#') found.push_back(words_of(line.data()).at(0));
  }
  if (pclose(pipe) != 0 || found.empty()) give_up("there is no set " + name);
  for (const std::string& one : found) {
    if (one.starts_with('@')) {
      add_set(one, into);
    } else {
      into.insert(one);
    }
  }
}

std::set<std::string> allowed_calls(const Lines& lines) {
  std::set<std::string> allowed;
  const auto [begin, end] = lines.equal_range("SystemCallFilter");
  for (auto line = begin; line != end; ++line) {
    const bool removes = line->second.starts_with('~');
    std::set<std::string> named;
    for (const std::string& word : words_of(line->second.substr(removes ? 1 : 0))) {
      if (word.starts_with('@')) {
        add_set(word, named);
      } else {
        named.insert(word);
      }
    }
    for (const std::string& call : named)
      removes ? void(allowed.erase(call)) : void(allowed.insert(call));
  }
  if (allowed.empty()) give_up("the unit has no SystemCallFilter");
  return allowed;
}

// Matches calls whose argument has all of these bits. The macros of seccomp.h are compound
// literals, which C++ lacks.
scmp_arg_cmp masked(unsigned argument, scmp_datum_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}

// Each rule of systemd is a filter of its own; the strictest result applies.
class Filter {
 public:
  explicit Filter(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
    if (context_ == nullptr) give_up("seccomp_init");
    seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { seccomp_release(context_); }

  // Skips calls that this machine does not have.
  void add(std::uint32_t action, const std::string& call,
           std::vector<scmp_arg_cmp> arguments = {}) {
    const int number = seccomp_syscall_resolve_name(call.c_str());
    if (number < 0) return;
    const int added =
        seccomp_rule_add_array(context_, action, number, static_cast<unsigned>(arguments.size()),
                               arguments.empty() ? nullptr : arguments.data());
    if (added != 0 && added != -EDOM) give_up("a rule for " + call + " was refused");
  }
  void load() {
    if (seccomp_load(context_) != 0) give_up("seccomp_load");
  }

 private:
  scmp_filter_ctx context_;
};

constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EPERM);

bool is_yes(const Lines& lines, const std::string& key) {
  const auto found = lines.find(key);
  return found != lines.end() && found->second == "yes";
}

void refuse_writable_code() {
  Filter filter(SCMP_ACT_ALLOW);
  constexpr std::uint64_t kBoth = PROT_WRITE | PROT_EXEC;
  filter.add(kRefuse, "mmap", {masked(2, kBoth)});
  for (const char* call : {"mprotect", "pkey_mprotect"}) {
    filter.add(kRefuse, call, {masked(2, PROT_EXEC)});
  }
  filter.load();
}

void refuse_namespaces() {
  Filter filter(SCMP_ACT_ALLOW);
  constexpr std::array<std::uint64_t, 7> kSpaces = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                                                    CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
                                                    CLONE_NEWNET};
  for (const std::uint64_t space : kSpaces) {
    filter.add(kRefuse, "clone", {masked(0, space)});
    filter.add(kRefuse, "unshare", {masked(0, space)});
  }
  filter.add(kRefuse, "setns");
  // Its flags are in memory, where a filter cannot read them.
  filter.add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  filter.load();
}

void restrict_families(const Lines& lines) {
  const auto found = lines.find("RestrictAddressFamilies");
  if (found == lines.end()) return;
  const std::map<std::string, std::uint64_t> known = {{"AF_UNIX", AF_UNIX},
                                                      {"AF_INET", AF_INET},
                                                      {"AF_INET6", AF_INET6},
                                                      {"AF_NETLINK", AF_NETLINK}};
  std::set<std::uint64_t> kept;
  for (const std::string& word : words_of(found->second)) kept.insert(known.at(word));
  Filter filter(SCMP_ACT_ALLOW);
  constexpr std::uint64_t kFamilies = 64;
  for (std::uint64_t family = 0; family < kFamilies; ++family) {
    if (kept.contains(family)) continue;
    filter.add(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", {scmp_arg_cmp{0, SCMP_CMP_EQ, family, 0}});
  }
  filter.load();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) give_up("under_unit UNIT COMMAND...");
  const Lines lines = lines_of(argv[1]);
  const std::set<std::string> allowed = allowed_calls(lines);
  if (const auto mask = lines.find("UMask"); mask != lines.end()) {
    umask(static_cast<mode_t>(std::stoul(mask->second, nullptr, 8)));
  }
  if (is_yes(lines, "NoNewPrivileges")) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  restrict_families(lines);
  if (is_yes(lines, "RestrictNamespaces")) refuse_namespaces();
  if (is_yes(lines, "MemoryDenyWriteExecute")) refuse_writable_code();
  Filter filter(kRefuse);
  for (const std::string& call : allowed) filter.add(SCMP_ACT_ALLOW, call);
  filter.load();
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 126;
}
