// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Time to read a JSON document and one text of each of its items: simdjson, which reads, beside
// Boost.JSON, which edits (decision 12).
#include <simdjson.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "give_up.h"
#include "row.h"

namespace parley {
namespace {

using bench::give_up;

constexpr std::size_t kBytesOfASample = 2'000'000;

std::string document_of(std::size_t items) {
  std::string text = R"({"seq":12,"type":"tool_result","at":1732871234567,"items":[)";
  for (std::size_t i = 0; i < items; ++i) {
    if (i > 0) text += ',';
    text += R"({"id":"call_)" + std::to_string(i) + R"(","name":"read_file","text":")" +
            std::string(80, 'x') + R"(","n":)" + std::to_string(i * 7'919) + R"(,"ok":true})";
  }
  return text + "]}";
}

std::size_t read_by_simdjson(simdjson::dom::parser& parser, const std::string& text) {
  simdjson::dom::array items;
  if (parser.parse(text)["items"].get(items) != simdjson::SUCCESS) give_up("simdjson");
  std::size_t bytes = 0;
  for (const simdjson::dom::element item : items) {
    std::string_view part;
    if (item["text"].get(part) != simdjson::SUCCESS) give_up("simdjson");
    bytes += part.size();
  }
  return bytes;
}

std::size_t read_by_boost(const std::string& text) {
  boost::json::monotonic_resource memory;
  const boost::json::value document = boost::json::parse(text, &memory);
  std::size_t bytes = 0;
  for (const boost::json::value& item : document.at("items").as_array()) {
    bytes += item.at("text").as_string().size();
  }
  return bytes;
}

template <typename Read>
double time_of(std::size_t times, std::size_t expected, Read read) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < times; ++i) {
    if (read() != expected) give_up("a document was read otherwise");
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(times);
}

bench::Row measured(std::size_t items, int samples) {
  const std::string text = document_of(items);
  const std::size_t times = kBytesOfASample / text.size() + 1;
  simdjson::dom::parser parser;
  const std::size_t expected = read_by_simdjson(parser, text);
  bench::Row row{"json.read_" + std::to_string(text.size()) + "_bytes", "us",
                 "Boost.JSON, its memory in one piece"};
  for (int i = 0; i < samples; ++i) {
    row.ours.push_back(time_of(times, expected, [&] { return read_by_simdjson(parser, text); }));
    row.theirs.push_back(time_of(times, expected, [&] { return read_by_boost(text); }));
  }
  return row;
}

}  // namespace
}  // namespace parley

// json_bench MODE OUT
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: json_bench MODE OUT\n", stderr);
    return 2;
  }
  const int samples = std::string_view(argv[1]) == "full" ? 30 : 5;
  const parley::bench::Row small = parley::measured(1, samples);
  const parley::bench::Row page = parley::measured(600, samples);
  return parley::bench::write_rows(argv[2], {&small, &page}) ? 0 : 1;
}
