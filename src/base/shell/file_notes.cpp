// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/file_notes.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

enum class Use : std::uint8_t { read, change, remove };
enum class Which : std::uint8_t { all, last, after_first };

struct Changer {
  std::string_view program;
  Which which = Which::all;
  Use use = Use::change;
};
constexpr std::array<Changer, 20> kChangers = {{{"rm", Which::all, Use::remove},
                                                {"rmdir", Which::all, Use::remove},
                                                {"unlink", Which::all, Use::remove},
                                                {"shred", Which::all, Use::remove},
                                                {"trash", Which::all, Use::remove},
                                                {"mv", Which::all, Use::change},
                                                {"cp", Which::last, Use::change},
                                                {"ln", Which::last, Use::change},
                                                {"install", Which::last, Use::change},
                                                {"rsync", Which::last, Use::change},
                                                {"touch", Which::all, Use::change},
                                                {"mkdir", Which::all, Use::change},
                                                {"mkfifo", Which::all, Use::change},
                                                {"tee", Which::all, Use::change},
                                                {"truncate", Which::all, Use::change},
                                                {"mkfs", Which::all, Use::change},
                                                {"wipefs", Which::all, Use::change},
                                                {"chmod", Which::after_first, Use::change},
                                                {"chown", Which::after_first, Use::change},
                                                {"chgrp", Which::after_first, Use::change}}};

// Options whose value is a file that the program writes.
struct Writer {
  std::string_view programs;
  std::string_view names;   // as of Call::values_of
  std::string_view bundle;  // letters that may be in front of the option's
};
constexpr std::array<Writer, 8> kWriters = {{
    {"curl",
     "o output output-dir D dump-header c cookie-jar trace trace-ascii stderr etag-save libcurl",
     "#012346aBfgGiIjJklLMnNOpqRsSvVZ"},
    {"wget", "O output-document P directory-prefix o output-file a append-output",
     "qcNSbvdrEkKmpHLx46n"},
    {"unzip", "d", "oqnju"},
    {"sort", "o output", "bdfghiMnRrVcCmsuz"},
    {"gcc g++ cc c++ clang clang++ ld", "o", ""},
    {"openssl", "-out", ""},
    {"find", "-fprint -fprint0 -fprintf -fls", ""},
    {"cp mv ln install", "t target-directory", "abdfHilLnPprRsSTuvxZDcC"},
}};

class FileNotes {
 public:
  FileNotes(std::span<const std::string> folders, const Place& place, Notes& notes)
      : folders_(folders), place_(place), notes_(notes) {}

  // `wide`: it deletes whole folders. `whole` is the command, for the note of a danger.
  void note(const Word& word, Use use, bool wide, std::string_view whole) {
    const std::optional<std::string> path = path_in(word);
    if (use == Use::read) {
      if (path) read(*path);
      return;
    }
    if (!path) {
      if (wide) {
        notes_.add(NoteKind::deletes_widely, whole);
      } else {
        notes_.add(use == Use::remove ? NoteKind::deletes : NoteKind::changes, word.text);
      }
      return;
    }
    if (is_harmless_device(*path)) return;
    if (is_device(*path)) {
      notes_.add(NoteKind::overwrites_device, *path);
      return;
    }
    if (is_any(*path, runs_later)) notes_.add(NoteKind::runs_later, *path);
    const bool is_inside = is_in_project(*path);
    if (use == Use::remove) {
      const bool is_wide = !is_inside || (wide && (!word.is_fixed || is_folder_around(*path)));
      notes_.add(is_wide ? NoteKind::deletes_widely : NoteKind::deletes, is_wide ? whole : *path);
    } else {
      notes_.add(is_inside ? NoteKind::changes : NoteKind::writes_outside, *path);
    }
  }

  void read(const std::string& path) {
    if (is_any(path, is_secret)) notes_.add(NoteKind::secret, path);
    if (!is_path(path) || is_harmless_device(path) || place_.directory.empty()) return;
    if (!is_in_project(path)) notes_.add(NoteKind::outside, path);
  }

 private:
  // From whichever folder it is seen. Folders for temporary files count as inside.
  bool is_in_project(std::string_view path) const {
    return std::all_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      const std::string whole = absolute_path(path, folder, place_);
      if (whole.empty()) return !is_path(path);
      return is_temporary(whole) ||
             (!place_.directory.empty() && is_within(whole, place_.directory));
    });
  }
  // True of the path from any folder, as seen from the project or the home around it.
  bool is_any(const std::string& path, bool (*is_such)(std::string_view)) const {
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      const std::string whole = absolute_path(path, folder, place_);
      if (whole.empty()) return is_such(path);
      for (const std::string& root : {place_.directory, place_.home}) {
        if (root.size() > 1 && whole != root && is_within(whole, root)) {
          return is_such(std::string_view(whole).substr(root.size() + 1));
        }
      }
      return is_such(whole);
    });
  }
  // The project's own folder, one around it, or the root.
  bool is_folder_around(std::string_view path) const {
    return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
      const std::string whole = absolute_path(path, folder, place_);
      return whole.empty() ||
             is_within(place_.directory.empty() ? folder : place_.directory, whole);
    });
  }

  std::span<const std::string> folders_;
  const Place& place_;
  Notes& notes_;
};

// The part of an option that may be a path: "--file=/x"; empty: none.
std::string_view value_in_option(std::string_view option) {
  const std::size_t sign = option.find('=');
  return sign == std::string_view::npos ? std::string_view() : option.substr(sign + 1);
}

void note_read_arguments(const Call& call, FileNotes& files) {
  for (const Word& word : call.arguments) {
    if (!word.text.starts_with('-')) {
      files.note(word, Use::read, false, {});
      continue;
    }
    Word value = word;
    value.text = value_in_option(word.text);
    if (!value.text.empty()) files.note(value, Use::read, false, {});
  }
}

// "tar -xf", "tar xf"
bool tar_does(const Call& call, char letter, std::string_view long_option) {
  if (call.has_flag(letter, long_option)) return true;
  if (call.arguments.empty()) return false;
  const std::string_view first(call.arguments.front().text);
  return !first.starts_with('-') && first.find(letter) != std::string_view::npos;
}

// The folder that an archive is unpacked to, or the archive that is made.
std::vector<Word> tar_targets(const Call& call) {
  constexpr std::string_view kFlags = "xcrtuzjJvpkmhPSZa";
  if (tar_does(call, 'x', "--extract")) return call.values_of("C directory", kFlags);
  if (!tar_does(call, 'c', "--create")) return {};
  std::vector<Word> found = call.values_of("f file", kFlags);
  const bool is_old = !call.arguments.front().text.starts_with('-') &&
                      call.arguments.front().text.find('f') != std::string::npos;
  if (is_old && call.arguments.size() > 1) found.push_back(call.arguments[1]);
  return found;
}

// The files that options name.
std::vector<Word> written_by_options(const Call& call) {
  if (call.name == "tar" || call.name == "bsdtar") return tar_targets(call);
  std::vector<Word> found;
  for (const Writer& writer : kWriters) {
    if (!has_word(writer.programs, call.name)) continue;
    for (Word& target : call.values_of(writer.names, writer.bundle)) {
      found.push_back(std::move(target));
    }
  }
  return found;
}

// "sed -i", "perl -i": changes the files that it reads.
bool edits_in_place(const Call& call) {
  if (call.name != "sed" && call.name != "perl") return false;
  return std::any_of(call.arguments.begin(), call.arguments.end(), [](const Word& word) {
    const std::string_view text(word.text);
    if (text.starts_with("--in-place")) return true;
    return text.size() > 1 && text[0] == '-' && text[1] != '-' &&
           text.find('i') != std::string_view::npos;
  });
}

}  // namespace

void note_files(const Call& call, const Place& place, Notes& notes) {
  FileNotes files(call.folders, place, notes);
  const std::string whole = call.line();
  const std::string_view program = std::string_view(call.name).substr(0, call.name.find('.'));
  const auto* const changer =
      std::find_if(kChangers.begin(), kChangers.end(),
                   [&](const Changer& row) { return row.program == program; });
  const std::vector<const Word*> operands = call.operands();
  const std::vector<Word> targets = written_by_options(call);
  std::size_t first_changed = operands.size();
  Use use = Use::change;
  if (changer != kChangers.end()) {
    use = changer->use;
    if (changer->which == Which::all) first_changed = 0;
    if (changer->which == Which::after_first)
      first_changed = std::min<std::size_t>(1, operands.size());
    const bool is_last = changer->which == Which::last && (targets.empty() || program == "rsync");
    if (is_last && operands.size() > 1) first_changed = operands.size() - 1;
  } else if (edits_in_place(call)) {
    const bool has_script = call.has_option({"-e", "-f"}) || call.name == "perl";
    first_changed = std::min<std::size_t>(has_script ? 0 : 1, operands.size());
  }
  const bool wide =
      use == Use::remove && (call.has_flag('r', "--recursive") || call.has_flag('R', ""));
  const bool is_remote_target = call.name == "rsync" && !operands.empty() &&
                                operands.back()->text.find(':') != std::string::npos;
  for (std::size_t i = first_changed; i < operands.size() && !is_remote_target; ++i) {
    files.note(*operands[i], use, wide, whole);
  }
  if (call.takes_more && use == Use::remove) notes.add(NoteKind::deletes_widely, whole);
  for (const Word& word : call.arguments) {
    const bool is_target = word.text.starts_with("of=");
    if (call.name != "dd" || (!is_target && !word.text.starts_with("if="))) continue;
    Word file = word;
    file.text.erase(0, 3);
    files.note(file, is_target ? Use::change : Use::read, false, whole);
  }
  for (const Word& target : targets) {
    if (target.text != "-") files.note(target, Use::change, false, whole);
  }
  for (const std::string& file : call.own_files) files.read(file);
  const bool changes_operands = first_changed < operands.size() && use == Use::remove;
  if (!changes_operands) note_read_arguments(call, files);
}

void note_redirect(const Redirect& redirect, std::span<const std::string> folders,
                   const Place& place, Notes& notes) {
  FileNotes files(folders, place, notes);
  using Kind = Redirect::Kind;
  const std::string_view target(redirect.target.text);
  if (redirect.kind != Kind::text && is_network_device(target)) {
    const std::string_view host = target.substr(std::string_view("/dev/tcp/").size());
    notes.add(NoteKind::network, host);
    if (redirect.kind != Kind::read) notes.add(NoteKind::sends_file, target);
    return;
  }
  if (redirect.kind == Kind::write || redirect.kind == Kind::append) {
    files.note(redirect.target, Use::change, false, {});
  } else if (redirect.kind == Kind::read) {
    files.note(redirect.target, Use::read, false, {});
  }
}

}  // namespace parley::shell
