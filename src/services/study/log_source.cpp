// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/log_source.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "base/core/assert.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "services/study/log_line.h"

namespace parley::study {

using core::Code;
using core::Result;

namespace {

class FileSource final : public LogSource {
 public:
  explicit FileSource(std::FILE* file) : file_(file) {}
  ~FileSource() override {
    std::fclose(file_);
    std::free(buffer_);
  }

  Result<bool> next(std::string_view& line) override {
    errno = 0;
    const ssize_t size = ::getline(&buffer_, &capacity_, file_);
    if (size < 0) {
      if (std::ferror(file_) == 0) return false;
      return core::fail(Code::data_loss,
                        std::string("The log cannot be read: ") + std::strerror(errno) + ".");
    }
    line = std::string_view(buffer_, static_cast<std::size_t>(size));
    whole_ = line.ends_with('\n');
    if (whole_) line.remove_suffix(1);
    return true;
  }
  bool complete() const override { return whole_; }

 private:
  std::FILE* file_;
  char* buffer_ = nullptr;  // buffer of getline()
  std::size_t capacity_ = 0;
  bool whole_ = true;
};

class StoredSource final : public LogSource {
 public:
  StoredSource(event::SessionReader& reader, const std::string& session)
      : reader_(reader), writer_(study_of_session(session)) {
    query_.session = session;
    query_.limit = core::limits::kMaxPageEvents;
  }

  Result<bool> next(std::string_view& line) override {
    // Reads again after the last page, because an open study may have new events.
    if (at_ == page_.events.size()) {
      PARLEY_TRY(event::EventPage page, reader_.read(query_));
      page_ = std::move(page);
      at_ = 0;
      if (!page_.events.empty()) {
        PARLEY_ASSERT(page_.events.front().seq > query_.after,
                      "study " + query_.session + ": event " +
                          std::to_string(page_.events.front().seq) + " is read after event " +
                          std::to_string(query_.after));
        query_.after = page_.events.back().seq;
      }
    }
    if (at_ == page_.events.size()) return false;
    text_.clear();
    writer_.append(text_, page_.events[at_++]);
    line = std::string_view(text_).substr(0, text_.size() - 1);
    return true;
  }

 private:
  event::SessionReader& reader_;
  event::ReadQuery query_;
  LineWriter writer_;
  event::EventPage page_;
  std::size_t at_ = 0;
  std::string text_;
};

}  // namespace

Result<std::unique_ptr<LogSource>> open_log_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file != nullptr) return std::make_unique<FileSource>(file);
  const int error = errno;
  const Code code = error == ENOENT ? Code::not_found : Code::permission_denied;
  return core::fail(code, "Cannot open " + path + ": " + std::strerror(error) + ".");
}

Result<std::unique_ptr<LogSource>> open_stored_log(event::SessionReader& reader,
                                                   const std::string& session) {
  PARLEY_TRY_VOID(reader.session(session));
  return std::make_unique<StoredSource>(reader, session);
}

Result<bool> prefers_file(LogFiles files, const Study& study, event::SessionReader* reader) {
  if (files == LogFiles::whole || reader == nullptr) return true;
  const Result<event::SessionRow> row = reader->session(study.session);
  if (row) return row->first_seq > 1;
  if (row.error().code == Code::not_found) return true;
  return core::fail(row.error());
}

Result<std::unique_ptr<LogSource>> open_study_log(const std::string& data_dir, LogFiles files,
                                                  const Study& study,
                                                  event::SessionReader* reader) {
  PARLEY_TRY(const bool in_file, prefers_file(files, study, reader));
  if (in_file) {
    auto file = open_log_file(data_dir + "/" + log_name(study.id));
    if (file || reader == nullptr || file.error().code != Code::not_found) return file;
  }
  auto stored = open_stored_log(*reader, study.session);
  if (stored || stored.error().code != Code::not_found) return stored;
  return core::fail(Code::not_found, "The study has no records.");
}

}  // namespace parley::study
