// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/report.h"

#include <map>

#include "base/core/json_writer.h"
#include "base/core/utf8.h"

namespace parley::conformance {
namespace {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

// Text for XML 1.0: markup escaped, characters that XML cannot hold replaced.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out.push_back(static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c);
    }
  }
  return out;
}

std::string seconds(core::Millis took) {
  const std::string ms = std::to_string(took.count() % 1000);
  return std::to_string(took.count() / 1000) + "." + std::string(3 - ms.size(), '0') + ms;
}

std::string failure_text(const CaseResult& result) {
  const Failure& failure = result.failure;
  std::string out = failure.at.to_string() + ": step " + std::to_string(failure.step) + " (" +
                    failure.verb + "): " + failure.what + "\n";
  if (!failure.path.empty()) out += "  at        " + failure.path + "\n";
  if (!failure.expected.empty()) out += "  expected  " + failure.expected + "\n";
  if (!failure.got.empty()) out += "  got       " + failure.got + "\n";
  out += "  contract  " + result.source + "\n";
  for (const std::string& line : result.trace) out += "  | " + line + "\n";
  return out;
}

void write_case(core::JsonWriter& json, const CaseResult& result) {
  json.begin_object();
  json.key("name").string(result.name);
  json.key("file").string(result.at.file);
  json.key("line").number(result.at.line);
  json.key("source").string(result.source);
  json.key("result").string(verdict_name(result.verdict));
  json.key("ms").number(static_cast<std::int64_t>(result.took.count()));
  if (result.verdict == Verdict::not_run) json.key("reason").string(result.reason);
  if (result.verdict == Verdict::failed) {
    const Failure& failure = result.failure;
    json.key("failure").begin_object();
    json.key("at").string(failure.at.to_string());
    json.key("step").number(static_cast<std::int64_t>(failure.step));
    json.key("verb").string(failure.verb);
    json.key("what").string(failure.what);
    json.key("path").string(failure.path);
    json.key("expected").string(failure.expected);
    json.key("got").string(failure.got);
    json.key("trace").strings(result.trace);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

Summary summarize(const std::vector<CaseResult>& results) {
  Summary summary;
  for (const CaseResult& result : results) {
    switch (result.verdict) {
      case Verdict::passed:
        ++summary.passed;
        break;
      case Verdict::failed:
        ++summary.failed;
        break;
      case Verdict::not_run:
        ++summary.not_run;
        break;
    }
  }
  return summary;
}

std::string readable_report(const std::vector<CaseResult>& results, bool verbose) {
  std::string out;
  for (const CaseResult& result : results) {
    if (result.verdict == Verdict::failed) {
      out += "FAILED  " + result.name + "\n" + failure_text(result) + "\n";
    } else if (verbose) {
      out += std::string(result.verdict == Verdict::passed ? "ok      " : "not run ") +
             result.name + " (" + seconds(result.took) + " s)" +
             (result.reason.empty() ? "" : ": " + result.reason) + "\n";
    }
  }
  const Summary summary = summarize(results);
  std::map<std::string, std::size_t> reasons;
  for (const CaseResult& result : results) {
    if (result.verdict == Verdict::not_run) ++reasons[result.reason];
  }
  for (const auto& [reason, count] : reasons) {
    out += std::to_string(count) + " not run: " + reason + "\n";
  }
  out += std::to_string(summary.passed) + " passed, " + std::to_string(summary.failed) +
         " failed, " + std::to_string(summary.not_run) + " not run\n";
  return out;
}

std::string junit_report(const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<const CaseResult*>> by_file;
  for (const CaseResult& result : results) by_file[result.at.file].push_back(&result);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [file, cases] : by_file) {
    std::size_t failed = 0;
    std::size_t not_run = 0;
    std::string body;
    for (const CaseResult* result : cases) {
      body += "    <testcase classname=\"" + xml(file) + "\" name=\"" + xml(result->name) +
              "\" time=\"" + seconds(result->took) + "\"";
      if (result->verdict == Verdict::passed) {
        body += "/>\n";
        continue;
      }
      const bool is_failure = result->verdict == Verdict::failed;
      ++(is_failure ? failed : not_run);
      body += is_failure ? ">\n      <failure message=\"" + xml(result->failure.what) + "\">" +
                               xml(failure_text(*result)) + "</failure>\n"
                         : ">\n      <skipped message=\"" + xml(result->reason) + "\"/>\n";
      body += "    </testcase>\n";
    }
    out += "  <testsuite name=\"" + xml(file) + "\" tests=\"" + std::to_string(cases.size()) +
           "\" failures=\"" + std::to_string(failed) + "\" skipped=\"" + std::to_string(not_run) +
           "\">\n" + body + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

std::string json_report(const std::vector<CaseResult>& results, const std::string& target) {
  const Summary summary = summarize(results);
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  json.key("target").string(target);
  json.key("passed").number(static_cast<std::uint64_t>(summary.passed));
  json.key("failed").number(static_cast<std::uint64_t>(summary.failed));
  json.key("not_run").number(static_cast<std::uint64_t>(summary.not_run));
  json.key("cases").array(results, write_case);
  json.end_object();
  return out + "\n";
}

}  // namespace parley::conformance
