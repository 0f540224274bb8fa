// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/events_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "agents/mcp/settings.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/cancel.h"
#include "base/core/clock.h"
#include "base/core/visible_text.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/curl_loop.h"
#include "runtime/stream/export_form.h"
#include "runtime/stream/reading_json.h"
#include "runtime/stream/reading_text.h"
#include "runtime/stream/run_reader.h"

namespace parley::app {
namespace {

constexpr std::size_t kPieceBytes = 64U << 10U;
constexpr std::size_t kMaxAnswerBytes = 1U << 30U;
constexpr core::Millis kTurn{1'000};
constexpr core::Millis kLongestFollow = std::chrono::hours(24);

bool is_remote(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

int complain_file(const std::string& path) {
  complain(
      {"The file " + path + " cannot be read.", "", "Give an NDJSON file, a URL, or - for stdin."});
  return kExitFailure;
}

int read_file(const std::string& path, runtime::RunReader& reader) {
  std::unique_ptr<std::FILE, CloseFile> opened;
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rbe"));
    if (!opened) return complain_file(path);
    file = opened.get();
  }
  const runtime::RunReader::Source source = reader.open(path == "-" ? "stdin" : path);
  std::array<char, kPieceBytes> piece{};
  while (true) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file);
    reader.feed(source, std::string_view(piece.data(), count));
    if (count < piece.size()) break;
  }
  const bool failed = std::ferror(file) != 0;
  reader.close(source);
  return failed ? complain_file(path) : static_cast<int>(kExitOk);
}

// The token for a URL, the given one or that of the running server for its own URL, and the
// certificates to trust there.
mcp::ServerAccess access_to(const std::string& url, const EventsOptions& options) {
  mcp::ServerAccess out;
  mcp::UserPlaces places = mcp::UserPlaces::of_this_process();
  if (!options.data.empty()) places.data = options.data;
  const std::optional<mcp::ServerAccess> server = mcp::discover_server(places.data);
  if (server && url.starts_with(server->base_url + "/")) out = *server;
  const char* const given = std::getenv("PARLEY_TOKEN");
  if (given != nullptr && *given != '\0') out.token = given;
  if (!options.token.empty()) out.token = options.token;
  return out;
}

// Reads a URL to its end.
class UrlSource {
 public:
  UrlSource(const std::string& url, runtime::RunReader& reader)
      : url_(url), reader_(reader), source_(reader.open(url)) {}

  int read(const mcp::ServerAccess& access) {
    const core::SystemClock clock;
    http_client::CurlLoop loop(clock);
    http_client::CurlFetcher fetcher(clock);
    http_client::FetchRequest request;
    request.url = url_;
    request.headers.emplace_back("Accept: application/x-ndjson");
    if (!access.token.empty()) {
      request.headers.push_back("Authorization: Bearer " + access.token);
    }
    request.ca_file = access.ca_file;
    request.total_timeout = kLongestFollow;
    request.max_bytes = kMaxAnswerBytes;
    http_client::FetchEvents events;
    events.on_head = [this](const http_client::FetchHead& head) { status_ = head.status; };
    events.on_body = [this](std::string_view bytes) { take(bytes); };
    std::optional<http_client::FetchEnd> end;
    fetcher.fetch(std::move(request), std::move(events), loop, core::CancelToken(),
                  [&end](http_client::FetchEnd came) { end = std::move(came); });
    while (!end) loop.run_once(kTurn);
    reader_.close(source_);
    return report(*end);
  }

 private:
  void take(std::string_view bytes) {
    if (status_ == 200) {
      reader_.feed(source_, bytes);
    } else if (refusal_.size() < kPieceBytes) {
      refusal_ += bytes;
    }
  }

  int report(const http_client::FetchEnd& end) const {
    if (status_ != 0 && status_ != 200) {
      complain({"The server refused " + url_ + " with status " + std::to_string(status_) + ".",
                runtime::one_line(refusal_, 300),
                "Give the token of the run's owner with --token or in PARLEY_TOKEN."});
      return kExitFailure;
    }
    if (end.kind == http_client::FetchEnd::Kind::complete) return kExitOk;
    complain({url_ + " could not be read completely.", end.failure, "Is the server running?"});
    return status_ == 0 ? kExitUnreachable : kExitFailure;
  }

  std::string url_;
  runtime::RunReader& reader_;
  runtime::RunReader::Source source_;
  int status_ = 0;
  std::string refusal_;
};

bool stdout_has_colour() { return stdout_is_terminal() && std::getenv("NO_COLOR") == nullptr; }

std::string exported(const runtime::RunReader& reader) {
  std::string out;
  reader.each([&out](const std::string&, const runtime::StreamLine& line) {
    out += runtime::export_form(line) + '\n';
  });
  return out;
}

}  // namespace

int show_events(const EventsOptions& options) {
  runtime::RunReader reader;
  int worst = kExitOk;
  for (const std::string& source : options.sources) {
    const int code = is_remote(source) ? UrlSource(source, reader).read(access_to(source, options))
                                       : read_file(source, reader);
    worst = std::max(worst, code);
  }
  const runtime::Reading reading = reader.read();
  std::string out;
  if (options.json) {
    out = runtime::reading_json(reading) + '\n';
  } else if (options.single_key) {
    out = exported(reader);
  } else {
    runtime::TextOptions text;
    text.colour = stdout_has_colour();
    if (stdout_is_terminal()) text.width = terminal_columns(STDOUT_FILENO);
    out = runtime::reading_text(reader, reading, text);
  }
  const bool text = !options.json && !options.single_key;
  if (!(text ? print_coloured(out) : print(out))) return kExitFailure;
  if (!options.json)
    std::fputs(core::visible_text(runtime::findings_text(reading)).c_str(), stderr);
  const bool wrong = reading.count(runtime::Severity::error) +
                         reading.count(runtime::Severity::warning) +
                         reading.counts.findings_left_out >
                     0;
  return worst == kExitOk && options.check && wrong ? static_cast<int>(kExitFailure) : worst;
}

}  // namespace parley::app
