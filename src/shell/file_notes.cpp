// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "shell/file_notes.h"

#include <algorithm>
#include <array>
#include <string>

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
  std::string_view program;
  std::string_view letter;
  std::string_view long_option;
};
constexpr std::array<Writer, 7> kWriters = {{{"curl", "-o", "--output"},
                                             {"wget", "-O", "--output-document"},
                                             {"tar", "-C", "--directory"},
                                             {"unzip", "-d", ""},
                                             {"sort", "-o", "--output"},
                                             {"gcc", "-o", ""},
                                             {"openssl", "-out", ""}}};

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
    if (runs_later(*path)) notes_.add(NoteKind::runs_later, *path);
    const bool is_inside = is_in_project(*path);
    if (use == Use::remove) {
      const bool is_wide = !is_inside || (wide && (!word.is_fixed || is_folder_around(*path)));
      notes_.add(is_wide ? NoteKind::deletes_widely : NoteKind::deletes, is_wide ? whole : *path);
    } else {
      notes_.add(is_inside ? NoteKind::changes : NoteKind::writes_outside, *path);
    }
  }

  void read(const std::string& path) {
    if (is_secret(path)) notes_.add(NoteKind::secret, path);
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
  std::size_t first_changed = operands.size();
  Use use = Use::change;
  if (changer != kChangers.end()) {
    use = changer->use;
    if (changer->which == Which::all) first_changed = 0;
    if (changer->which == Which::after_first)
      first_changed = std::min<std::size_t>(1, operands.size());
    if (changer->which == Which::last && operands.size() > 1) first_changed = operands.size() - 1;
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
  if (call.name == "dd") {
    for (const Word& word : call.arguments) {
      if (!word.text.starts_with("of=")) continue;
      Word target = word;
      target.text.erase(0, 3);
      files.note(target, Use::change, false, whole);
    }
  }
  for (const Writer& writer : kWriters) {
    if (writer.program != call.name) continue;
    const std::optional<Word> target = call.value_of(writer.letter, writer.long_option);
    if (target && target->text != "-") files.note(*target, Use::change, false, whole);
  }
  const bool changes_operands = first_changed < operands.size() && use == Use::remove;
  if (!changes_operands) note_read_arguments(call, files);
}

void note_redirect(const Redirect& redirect, std::span<const std::string> folders,
                   const Place& place, Notes& notes) {
  FileNotes files(folders, place, notes);
  using Kind = Redirect::Kind;
  if (redirect.kind == Kind::write || redirect.kind == Kind::append) {
    files.note(redirect.target, Use::change, false, {});
  } else if (redirect.kind == Kind::read) {
    files.note(redirect.target, Use::read, false, {});
  }
}

}  // namespace parley::shell
