// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "base/core/visible_text.h"
#include "model/event/offline_store.h"
#include "model/session/decision_check.h"

namespace parley::app {
namespace {

using core::Code;

// Passes each decision on, and writes it to the export, if there is one.
event::DecisionSink checked(session::DecisionCheck& check, OutputFile* out) {
  return [&check, out](const event::RecordedDecision& recorded) -> core::Result<void> {
    check.add(recorded);
    if (out == nullptr || out->write(event::decision_line(recorded))) return {};
    return core::fail(Code::unavailable, "The output takes no more.", "out");
  };
}

core::Result<void> check_data(const sql::StorePlace& place, session::DecisionCheck& check,
                              const event::DecisionSink& use) {
  const auto store = event::open_offline_store(place);
  if (!store) return core::fail(store.error());
  return (*store)->decisions(use, [&check](const event::Undecided& one) { check.add(one); });
}

core::Result<void> check_file(const std::string& path, const event::DecisionSink& use) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return core::fail(Code::not_found, "The file " + path + " cannot be opened.", "file");
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto recorded = event::read_decision_line(line);
    if (!recorded) {
      return core::fail(Code::invalid_argument,
                        "Line " + std::to_string(number) + ": " + recorded.error().message, "file");
    }
    PARLEY_TRY_VOID(use(*recorded));
  }
  if (in.bad()) return core::fail(Code::data_loss, "The file " + path + " cannot be read.", "file");
  return {};
}

std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string text_of(const session::DecisionCheck& check) {
  std::string out;
  for (const session::DecisionCount& one : check.workspaces()) {
    out += core::visible_line(one.workspace) + ": " + counted(one.count, "decision");
    if (one.count > 0) {
      out += ", " + core::time_text(one.first_at) + " to " + core::time_text(one.last_at) +
             "\n  head " + one.head;
    }
    out += "\n";
    if (one.shown > 0) out += "  with the text that was shown: " + std::to_string(one.shown) + "\n";
    if (one.dropped > 0) {
      out += "  by their hashes alone, since retention dropped the events: " +
             std::to_string(one.dropped) + "\n";
    }
    if (one.older > 0) out += "  older than the chain: " + std::to_string(one.older) + "\n";
  }
  for (const std::string& finding : check.findings()) out += "CHANGED: " + finding + "\n";
  if (check.workspaces().empty()) out += "There is no decision yet.\n";
  if (check.findings().empty() && !check.workspaces().empty()) {
    out += "All decisions are as they were recorded.\n";
  }
  return out;
}

std::string json_of(const session::DecisionCheck& check) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("sound").boolean(check.findings().empty());
  json.key("workspaces")
      .objects(check.workspaces(), [](core::JsonWriter& to, const session::DecisionCount& one) {
        to.key("workspace").string(one.workspace).key("decisions").number(one.count);
        to.key("shown").number(one.shown).key("dropped").number(one.dropped);
        to.key("older").number(one.older);
        if (one.count == 0) return;
        to.key("first_at").string(core::time_text(one.first_at));
        to.key("last_at").string(core::time_text(one.last_at)).key("head").string(one.head);
      });
  json.key("findings").strings(check.findings()).end_object();
  return out + "\n";
}

int complain_unread(const core::Error& error, const Settings& settings, const std::string& file) {
  if (!file.empty()) {
    complain({"The file cannot be verified.", error.message,
              "Files to verify are written by `parley verify --out FILE`."});
    return kExitFailure;
  }
  complain({"The history in " + settings.stores().name() + " cannot be read.", error.message,
            "Run `parley doctor --data " + settings.data + "` for details."});
  return error.code == Code::not_found ? kExitFailure : kExitDataBroken;
}

}  // namespace

int verify_decisions(const Settings& settings, const VerifyOptions& options) {
  session::DecisionCheck check(options.heads);
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out);
  if (out && !out->good()) return complain_output(options.out);
  const event::DecisionSink use = checked(check, out ? &*out : nullptr);
  const auto read = options.file.empty() ? check_data(settings.stores(), check, use)
                                         : check_file(options.file, use);
  if (!read && read.error().field == "out") return complain_output(options.out);
  if (!read) return complain_unread(read.error(), settings, options.file);
  check.finish();
  if (out && !out->finish()) return complain_output(options.out);
  const bool printed = options.json ? print(json_of(check)) : print_text(text_of(check));
  if (!check.findings().empty()) return kExitDataBroken;
  return printed ? kExitOk : kExitFailure;
}

}  // namespace parley::app
