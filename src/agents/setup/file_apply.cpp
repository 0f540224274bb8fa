// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/file_apply.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agents/setup/text_diff.h"
#include "base/core/result.h"
#include "base/core/utf8.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

struct Target {
  std::string text;
  std::vector<JsonPath> created;
  bool is_removed = false;  // the file is removed
};

// The notes of both scopes are apart: a file of the user can hold entries of projects.
fs::path note_name(const FilePlan& plan, const ApplyOptions& options) {
  if (options.project.empty()) return plan.path;
  return plan.path.string() + "#" + options.project.string();
}

// The folder that the file must be below; empty: anywhere.
fs::path bounds(const FilePlan& plan, const ApplyOptions& options) {
  return !options.project.empty() && is_inside(plan.path, options.project) ? options.project
                                                                           : fs::path();
}

core::Result<std::string> text_without(const FilePlan& plan, std::string text,
                                       const SetupNote& note) {
  for (const FilePart& part : plan.parts) {
    PARLEY_TRY(text, part.remove(text, note));
  }
  return text;
}

core::Result<Target> installed(const FilePlan& plan, const ConfigFile& file) {
  if (const std::string why = refused_by(plan.form, file.text); !why.empty()) {
    return core::fail(core::Code::failed_precondition,
                      plan.reader + " refuses the whole file, because " + why +
                          ". Take it out, then run the setup again.");
  }
  Target target{file.text, {}, false};
  for (const FilePart& part : plan.parts) {
    PARLEY_TRY(EditedText edited, part.install(target.text));
    target.text = std::move(edited.text);
    target.created.insert(target.created.end(), edited.created.begin(), edited.created.end());
  }
  return target;
}

core::Result<Target> removed(const FilePlan& plan, const ConfigFile& file, const SetupNote& note) {
  PARLEY_TRY(std::string text, text_without(plan, file.text, note));
  if (text == file.text) return Target{std::move(text), {}, !file.exists};
  const bool is_ours = std::any_of(plan.parts.begin(), plan.parts.end(),
                                   [](const FilePart& part) { return part.is_own_file; });
  if (plan.is_complete && note.after == digest_of(file.text)) {
    if (note.made_file) return Target{{}, {}, true};
    if (note.before) return Target{*note.before, {}, false};
  }
  const bool is_removed = text.empty() && (is_ours || note.made_file);
  return Target{std::move(text), {}, is_removed};
}

// The note behind an installation.
SetupNote fresh_note(const FilePlan& plan, const ConfigFile& file, SetupNote note,
                     const Target& target, std::vector<fs::path> folders) {
  const core::Result<std::string> without = text_without(plan, file.text, note);
  const bool is_known = note.after == digest_of(file.text);
  const bool has_ours = !without || *without != file.text;
  if (!is_known && !has_ours) {
    note = {};
    note.made_file = !file.exists;
    const bool is_kept = file.text.size() <= kMaxKeptBytes && core::is_utf8(file.text);
    if (file.exists && is_kept) note.before = file.text;
  } else if (!is_known) {
    note.before.reset();
  }
  note.created.insert(note.created.end(), target.created.begin(), target.created.end());
  note.made_folders.insert(note.made_folders.end(), folders.begin(), folders.end());
  note.after = digest_of(target.text);
  return note;
}

core::Result<void> keep_note(const FilePlan& plan, SetupStore& store, const ApplyOptions& options,
                             const ConfigFile& file, const Target& target,
                             std::vector<fs::path> folders) {
  const fs::path name = note_name(plan, options);
  SetupNote note = store.note(name);
  if (!options.remove) {
    return store.set_note(name,
                          fresh_note(plan, file, std::move(note), target, std::move(folders)));
  }
  if (plan.is_complete || target.is_removed) return store.drop_note(name);
  if (note.after != digest_of(file.text)) note.before.reset();
  note.after = digest_of(target.text);
  return store.set_note(name, note);
}

FileResult failure(FileResult result, const core::Error& error, bool is_refusal) {
  result.action = is_refusal ? FileAction::refused : FileAction::failed;
  result.reason = error.message;
  return result;
}

// True if the part would leave the text as it is.
bool leaves(const FilePart& part, bool remove, std::string_view text, const SetupNote& note) {
  if (remove) {
    const core::Result<std::string> without = part.remove(text, note);
    return without && *without == text;
  }
  const core::Result<EditedText> with = part.install(text);
  return with && with->text == text;
}

// The titles of the parts that change the text; of all if none does.
std::string titles_of(const FilePlan& plan, bool remove, std::string_view text,
                      const SetupNote& note) {
  std::string all;
  std::string changed;
  for (const FilePart& part : plan.parts) {
    all += (all.empty() ? "" : ", ") + part.title;
    if (!leaves(part, remove, text, note)) changed += (changed.empty() ? "" : ", ") + part.title;
  }
  return changed.empty() ? all : changed;
}

bool refuses(const core::Error& error) { return error.code == core::Code::failed_precondition; }

// One attempt: false if the file was changed by others meanwhile.
core::Result<bool> write_target(const FilePlan& plan, SetupStore& store,
                                const ApplyOptions& options, const ConfigFile& file,
                                const Target& target, FileResult& result) {
  if (file.exists) {
    PARLEY_TRY(result.backup, store.back_up(file, options.agent, options.now));
  }
  std::vector<fs::path> folders;
  bool is_written = false;
  if (target.is_removed) {
    const SetupNote note = store.note(note_name(plan, options));
    PARLEY_TRY(is_written, remove_config_file(file, note.made_folders));
    result.action = FileAction::removed;
  } else {
    PARLEY_TRY(is_written, replace_config_file(file, target.text, plan.fresh_mode, folders,
                                               options.before_rename));
    result.action = file.exists ? FileAction::written : FileAction::created;
  }
  if (!is_written) return false;
  PARLEY_TRY_VOID(keep_note(plan, store, options, file, target, std::move(folders)));
  return true;
}

}  // namespace

std::string_view action_name(FileAction action) {
  constexpr std::array<std::string_view, 6> kNames = {"unchanged", "created", "written",
                                                      "removed",   "refused", "failed"};
  return kNames.at(static_cast<std::size_t>(action));
}

FileResult apply_file(const FilePlan& plan, SetupStore& store, const ApplyOptions& options) {
  FileResult result;
  result.path = plan.path;
  for (const FilePart& part : plan.parts) {
    if (!options.remove) result.snippet += part.snippet;
  }
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const core::Result<ConfigFile> file = read_config_file(plan.path, bounds(plan, options));
    if (!file) {
      result.titles = titles_of(plan, options.remove, {}, {});
      return failure(std::move(result), file.error(), refuses(file.error()));
    }
    const SetupNote note = store.note(note_name(plan, options));
    result.titles = titles_of(plan, options.remove, file->text, note);
    const core::Result<Target> target =
        options.remove ? removed(plan, *file, note) : installed(plan, *file);
    if (!target) return failure(std::move(result), target.error(), true);
    if (target->text == file->text) return result;
    if (options.dry_run) {
      result.action = target->is_removed ? FileAction::removed
                      : file->exists     ? FileAction::written
                                         : FileAction::created;
      result.diff =
          unified_diff(masked_text(file->text), masked_text(target->text), plan.path.string());
      return result;
    }
    const core::Result<bool> done = write_target(plan, store, options, *file, *target, result);
    if (!done) return failure(std::move(result), done.error(), refuses(done.error()));
    if (*done) return result;
  }
  return failure(std::move(result),
                 {core::Code::aborted, "another program keeps changing the file; try again", {}},
                 false);
}

}  // namespace parley::setup
