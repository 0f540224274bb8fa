// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// An MCP server for tests. The first argument is its kind: "good", "old" (an earlier version of the
// protocol), "future" (an unknown version), "silent" (never answers), "garbage" (writes text that
// is not MCP), "exit" (ends at once). The second, if any, names a file that records starts and
// cancellations.
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

void write_line(const object& message) {
  std::cout << boost::json::serialize(message) << std::endl;
}

object message() {
  object out;
  out["jsonrpc"] = "2.0";
  return out;
}

void answer(const value& id, object result) {
  object out = message();
  out["id"] = id;
  out["result"] = std::move(result);
  write_line(out);
}

void notify(const std::string& method, object params) {
  object out = message();
  out["method"] = method;
  out["params"] = std::move(params);
  write_line(out);
}

object text_result(const std::string& text, bool is_error = false) {
  object piece;
  piece["type"] = "text";
  piece["text"] = text;
  object out;
  out["content"] = array{piece};
  if (is_error) out["isError"] = true;
  return out;
}

class Server {
 public:
  Server(std::string kind, std::string notes) : kind_(std::move(kind)), notes_(std::move(notes)) {
    note("start");
  }

  int run() {
    if (kind_ == "exit") return 3;
    if (kind_ == "flood") return flood();
    std::cerr << "this is for the log" << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
      if (kind_ == "silent") continue;
      if (kind_ == "garbage") {
        for (int i = 0; i < 30; ++i) std::cout << "Welcome! (this is no JSON)" << std::endl;
        continue;
      }
      serve(boost::json::parse(line).as_object());
    }
    note("end of input");
    return 0;
  }

 private:
  void note(const std::string& what) const {
    if (!notes_.empty()) std::ofstream(notes_, std::ios::app) << what << std::endl;
  }

  static int flood() {
    const std::string line(99'872, 'x');
    while (std::cout << line << std::endl) {
    }
    return 1;
  }

  void serve(const object& request) {
    const value* method = request.if_contains("method");
    if (method == nullptr) return note("answer " + boost::json::serialize(request));
    const std::string name(method->as_string());
    if (name == "notifications/cancelled") {
      return note("cancelled " + boost::json::serialize(request.at("params").at("reason")));
    }
    if (name == "notifications/initialized") return note("initialized");
    if (name == "initialize") return initialize(request);
    if (name == "tools/list") return list(request);
    if (name == "tools/call") return call(request);
  }

  void initialize(const object& request) {
    object result;
    result["protocolVersion"] = kind_ == "old"      ? value("2024-11-05")
                                : kind_ == "future" ? value("2099-01-01")
                                                    : request.at("params").at("protocolVersion");
    result["capabilities"] = object{{"tools", object{{"listChanged", true}}}};
    result["serverInfo"] = object{{"name", "test"}, {"version", "1"}};
    std::cout << "not every line is a message" << std::endl;
    answer(request.at("id"), std::move(result));
  }

  // Sends two tools per page.
  void list(const object& request) {
    std::size_t from = 0;
    if (const value* cursor = request.at("params").as_object().if_contains("cursor")) {
      from = std::stoul(std::string(cursor->as_string()));
    }
    array tools;
    for (std::size_t i = from; i < names_.size() && i < from + 2; ++i) {
      object tool;
      tool["name"] = names_[i];
      tool["description"] = "The tool " + names_[i];
      tool["inputSchema"] = object{{"type", "object"}};
      if (names_[i] == "echo") tool["annotations"] = object{{"readOnlyHint", true}};
      tools.push_back(std::move(tool));
    }
    object result;
    result["tools"] = std::move(tools);
    if (from + 2 < names_.size()) result["nextCursor"] = std::to_string(from + 2);
    answer(request.at("id"), std::move(result));
  }

  void call(const object& request) {
    const object& params = request.at("params").as_object();
    const std::string name(params.at("name").as_string());
    const object& arguments = params.at("arguments").as_object();
    const value& id = request.at("id");
    if (name == "echo") return answer(id, text_result(boost::json::serialize(arguments)));
    if (name == "fail") return answer(id, text_result("that went wrong", true));
    if (name == "die") std::_Exit(7);
    if (name == "pid") return answer(id, text_result(std::to_string(::getpid())));
    if (name == "where") return answer(id, text_result(where(arguments)));
    if (name == "grow") {
      names_.push_back("new");
      notify("notifications/tools/list_changed", {});
      return answer(id, text_result("grown"));
    }
    if (name == "wait") {
      object progress;
      progress["progressToken"] = params.at("_meta").at("progressToken");
      progress["progress"] = 1;
      progress["total"] = 2;
      progress["message"] = "waiting";
      return notify("notifications/progress", std::move(progress));
    }
    object out = message();
    out["id"] = id;
    out["error"] = object{{"code", -32602}, {"message", "Unknown tool: " + name}};
    write_line(out);
  }

  static std::string where(const object& arguments) {
    std::vector<char> folder(4'096);
    if (::getcwd(folder.data(), folder.size()) == nullptr) return "nowhere";
    std::string out(folder.data());
    if (const value* variable = arguments.if_contains("variable")) {
      const char* found = std::getenv(variable->as_string().c_str());
      out += found == nullptr ? " unset" : " " + std::string(found);
    }
    return out;
  }

  const std::string kind_;
  const std::string notes_;
  std::vector<std::string> names_ = {"echo", "fail", "die", "pid", "where", "grow", "wait"};
};

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words, words + count);
  return Server(count > 1 ? arguments[1] : "good", count > 2 ? arguments[2] : "").run();
}
