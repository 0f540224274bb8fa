// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/terminal.h"
#include "event/event_reader.h"
#include "event/sqlite_store.h"
#include "protocol/v1/event_stream.h"

namespace parley::app {
namespace {

constexpr std::size_t kPageEvents = 500;
constexpr std::size_t kPageSessions = 100;

// Where the lines go: a file that appears under its name only when it is whole, or stdout.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path == "-" ? std::string() : path) {
    file_ = path_.empty() ? stdout : std::fopen((path_ + ".part").c_str(), "wbe");
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (path_.empty() || file_ == nullptr) return;
    std::fclose(file_);
    std::remove((path_ + ".part").c_str());
  }

  bool good() const { return file_ != nullptr; }
  bool write(const std::string& line) {
    return std::fwrite(line.data(), 1, line.size(), file_) == line.size();
  }
  bool finish() {
    if (path_.empty()) return std::fflush(file_) == 0;
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    return closed && std::rename((path_ + ".part").c_str(), path_.c_str()) == 0;
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

int complain_output(const std::string& path) {
  complain({"The export cannot be written to " + (path.empty() ? "stdout" : path) + ".",
            "The disk is full, or you have no right to write there.",
            "Name another file with --out."});
  return kExitFailure;
}

int complain_store(const core::Error& error, const std::string& data) {
  complain({"The history in " + data + " cannot be read.", error.message,
            "`parley doctor --data " + data + "` says more."});
  return error.code == core::Code::not_found ? kExitFailure : kExitDataBroken;
}

// All events of one session; std::nullopt: the output failed.
core::Result<bool> write_session(event::EventReader& reader, const std::string& id, Output& out) {
  event::ReadQuery query;
  query.session = id;
  query.limit = kPageEvents;
  while (true) {
    const auto page = reader.read(query);
    if (!page) return core::fail(page.error());
    for (const event::Event& event : page->events) {
      if (!out.write(v1::event_json(event) + "\n")) return false;
    }
    if (!page->more || page->events.empty()) return true;
    query.after = page->events.back().seq;
  }
}

core::Result<bool> write_all(event::EventReader& reader, Output& out) {
  std::int64_t after = 0;
  while (true) {
    const auto sessions = reader.all_sessions(after, kPageSessions);
    if (!sessions) return core::fail(sessions.error());
    if (sessions->empty()) return true;
    for (const auto& session : *sessions) {
      auto written = write_session(reader, session.id, out);
      if (!written || !*written) return written;
      after = session.number;
    }
  }
}

}  // namespace

int export_events(const Settings& settings, const ExportOptions& options) {
  auto database =
      event::Database::open(event::store_path(settings.data), event::OpenMode::read_only);
  if (!database) return complain_store(database.error(), settings.data);
  const auto reader = event::EventReader::make(std::move(*database));
  if (!reader) return complain_store(reader.error(), settings.data);
  if (!options.session.empty()) {
    const auto row = (*reader)->session(options.session);
    if (!row) return complain_store(row.error(), settings.data);
  }
  Output out(options.out);
  if (!out.good()) return complain_output(options.out);
  const auto written = options.session.empty() ? write_all(**reader, out)
                                               : write_session(**reader, options.session, out);
  if (!written) return complain_store(written.error(), settings.data);
  return *written && out.finish() ? static_cast<int>(kExitOk) : complain_output(options.out);
}

}  // namespace parley::app
