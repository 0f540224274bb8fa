// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_file.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/durable_file.h"
#include "base/core/private_files.h"

namespace parley::app {

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? std::string() : path) {
  if (path_.empty()) {
    file_ = stdout;
    return;
  }
  core::FileDescriptor draft = core::open_private_draft(path_ + ".part");
  file_ = draft ? ::fdopen(draft.get(), "wb") : nullptr;
  if (file_ != nullptr) draft.release();
}

OutputFile::~OutputFile() {
  if (path_.empty() || file_ == nullptr) return;
  std::fclose(file_);
  std::remove((path_ + ".part").c_str());
}

bool OutputFile::write(std::string_view text) {
  if (!path_.empty()) return std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  const std::string shown = for_stdout(text);
  return std::fwrite(shown.data(), 1, shown.size(), file_) == shown.size();
}

bool OutputFile::finish() {
  if (path_.empty()) return std::fflush(file_) == 0;
  const bool synced = std::fflush(file_) == 0 && ::fsync(::fileno(file_)) == 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  return synced && closed && core::rename_durably(path_ + ".part", path_);
}

int complain_output(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  const bool has_folder = folder.empty() || std::filesystem::is_directory(folder, error);
  const bool is_folder = !path.empty() && std::filesystem::is_directory(path, error);
  std::string why = "The disk is full, or you have no right to write there.";
  if (is_folder) why = "It is a folder.";
  if (!has_folder) why = "There is no folder " + folder.string() + ".";
  complain({"The export cannot be written to " + (path.empty() ? "stdout" : path) + ".", why,
            has_folder ? "Name another file with --out."
                       : "Make the folder, or name another file "
                         "with --out."});
  return kExitFailure;
}

}  // namespace parley::app
