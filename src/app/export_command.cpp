// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string_view>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/terminal.h"
#include "event/export.h"

namespace parley::app {
namespace {

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
  bool write(std::string_view lines) {
    return std::fwrite(lines.data(), 1, lines.size(), file_) == lines.size();
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

}  // namespace

int export_events(const Settings& settings, const ExportOptions& options) {
  Output out(options.out);
  if (!out.good()) return complain_output(options.out);
  bool refused = false;
  const auto sink = [&out, &refused](std::string_view lines) -> core::Result<void> {
    refused = !out.write(lines);
    if (!refused) return {};
    return core::fail(core::Code::unavailable, "The output takes no more.");
  };
  const auto written = event::export_events(settings.data, options.session, sink);
  if (!written && !refused) return complain_store(written.error(), settings.data);
  return written && out.finish() ? static_cast<int>(kExitOk) : complain_output(options.out);
}

}  // namespace parley::app
