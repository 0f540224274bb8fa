// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "model/event/export.h"
#include "model/event/offline_store.h"

namespace parley::app {
namespace {

int complain_store(const core::Error& error, const Settings& settings) {
  const std::string& data = settings.data;
  complain({"The history in " + settings.stores().name() + " cannot be read.", error.message,
            "Run `parley doctor --data " + data + "` for details."});
  return error.code == core::Code::not_found ? kExitFailure : kExitDataBroken;
}

core::Result<std::uint64_t> export_offline(const sql::StorePlace& place, const std::string& session,
                                           const event::ExportSink& sink) {
  const auto store = event::open_offline_store(place);
  if (!store) return core::fail(store.error());
  const auto reader = (*store)->make_reader();
  if (!reader) return core::fail(reader.error());
  return event::export_events(**reader, session, sink);
}

}  // namespace

int export_events(const Settings& settings, const ExportOptions& options) {
  OutputFile out(options.out);
  if (!out.good()) return complain_output(options.out);
  bool refused = false;
  const auto sink = [&out, &refused](std::string_view lines) -> core::Result<void> {
    refused = !out.write(lines);
    if (!refused) return {};
    return core::fail(core::Code::unavailable, "The output takes no more.");
  };
  const auto written = export_offline(settings.stores(), options.session, sink);
  if (!written && !refused) return complain_store(written.error(), settings);
  return written && out.finish() ? static_cast<int>(kExitOk) : complain_output(options.out);
}

}  // namespace parley::app
