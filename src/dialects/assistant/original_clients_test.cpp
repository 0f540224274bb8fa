// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The message loops of the existing clients (contract section 5): how each generation handles a
// frame, and the display that results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Loop {
  const char* name;
  const char* report;  // the Cmd that this generation knows for reports
  bool desktop;   // the Flutter client: lists open questions after its login and as its heartbeat
  bool forwards;  // third generation: tells the other clients about its windows
};

constexpr Loop kLoops[] = {
    {"FirstWeb", "TaskFinish", false, false},     {"SecondWeb", "WorkReport", false, false},
    {"ThirdWeb", "WorkReport", false, true},      {"FirstDesktop", "TaskFinish", true, false},
    {"SecondDesktop", "WorkReport", true, false}, {"ThirdDesktop", "WorkReport", true, true},
};

// One client. It does not send its generation: its URL has no parameters.
class Original {
 public:
  Original(AssistantServer& server, const Loop& loop) : loop_(loop), ui_(server) {
    ui_.log_in("tok", loop.name);
    pump();
    if (loop_.forwards) ui_.send_cmd("ForwardStateChanged");  // sent before the client has a window
    pump();
  }

  // Handles received frames until no further ones arrive.
  void pump() {
    while (true) {
      const auto frames = ui_.take();
      if (frames.empty()) return;
      for (const pb::WebsocketMessage& frame : frames) take(frame);
    }
  }
  void heartbeat() {
    if (loop_.desktop) ui_.send_cmd("GetPendingMessages");
    pump();
  }
  // The request as the web client echoes it, the report in the client's own spelling.
  void reply(const std::string& id, bool is_report, std::string_view text) {
    ui_.send(is_report ? report_reply(std::string(loop_.report) + "Reply", id, text)
                       : question_reply(id, text));
    if (cards.contains(id)) cards[id] = "replied by me";
    pump();
  }

  std::map<std::string, std::string> cards;  // by id: text of the card
  std::vector<std::string> notices;          // lines and toasts about ends, in order
  std::vector<std::string> forwards;         // Cmds of other clients' windows
  int cards_made = 0;

 private:
  void show(const std::string& id, const char* kind) {
    if (cards.emplace(id, kind).second) ++cards_made;
  }
  // The web client shows every end that it receives, also that of a closed card.
  void close(const std::string& id, const std::string& how) {
    cards[id] = how;
    notices.push_back(id + " " + how);
  }
  void take(const pb::WebsocketMessage& frame) {
    const std::string report(loop_.report);
    if (frame.cmd() == "UserLogin") {
      if (loop_.desktop) ui_.send_cmd("GetPendingMessages");
      ui_.send_cmd("GetOnlineUsers");
    } else if (frame.cmd() == "AskQuestion") {
      show(frame.askquestionrequest().id(), "question");
    } else if (frame.cmd() == report) {
      show(frame.taskfinishrequest().id(), "report");
    } else if (frame.cmd() == "AskQuestionReplyNotification") {
      close(frame.askquestionrequest().id(), "replied by " + frame.nickname());
    } else if (frame.cmd() == report + "ReplyNotification") {
      close(frame.taskfinishrequest().id(), "replied by " + frame.nickname());
    } else if (frame.cmd() == "RequestCancelled") {
      close(frame.requestcancellednotification().request_id(), "cancelled");
    } else if (frame.cmd() == "GetPendingMessages") {
      for (const auto& entry : frame.getpendingmessagesresponse().pending_messages()) {
        if (entry.message_type() == "AskQuestion")
          show(entry.ask_question_request().id(), "question");
        if (entry.message_type() == report) show(entry.task_finish_request().id(), "report");
      }
    } else if (frame.cmd().starts_with("Forward")) {
      forwards.push_back(frame.cmd());
    }
  }

  Loop loop_;
  Ui ui_;
};

class OriginalClients : public testing::TestWithParam<Loop> {
 protected:
  void ask(std::string_view id, int timeout_s = 0) {
    calls_.push_back(server_.call(RpcMethod::ask_question, question(id, "Which way?", timeout_s)));
    server_.run();
  }
  void tell(std::string_view id) {
    calls_.push_back(server_.call(RpcMethod::work_report, report(id, "Done.")));
    server_.run();
  }

  AssistantServer server_;
  std::vector<std::shared_ptr<Caller>> calls_;
};

TEST_P(OriginalClients, Report_IsSingleCard_ExpiryIsSingleNotice) {
  Original client(server_, GetParam());
  tell("r");
  client.pump();
  client.heartbeat();
  EXPECT_EQ(client.cards_made, 1);
  server_.advance(std::chrono::seconds(600));
  client.pump();
  EXPECT_THAT(client.notices, ElementsAre("r cancelled"));
}

TEST_P(OriginalClients, ReportGivenUpByCaller_IsSingleNotice) {
  Original client(server_, GetParam());
  tell("r");
  client.pump();
  calls_[0]->gone();
  server_.advance(std::chrono::seconds(5));
  client.pump();
  EXPECT_THAT(client.notices, ElementsAre("r cancelled"));
}

TEST_P(OriginalClients, AnswerOfOtherClient_IsSingleNotice) {
  Original client(server_, GetParam());
  Original other(server_, kLoops[1]);
  ask("q");
  tell("r");
  client.pump();
  other.pump();
  other.reply("q", false, "left");
  other.reply("r", true, "fine");
  client.pump();
  EXPECT_THAT(client.notices, ElementsAre("q replied by SecondWeb", "r replied by SecondWeb"));
  client.reply("q", false, "right");
  client.reply("r", true, "not fine");
  EXPECT_THAT(client.notices, ElementsAre("q replied by SecondWeb", "r replied by SecondWeb"));
  EXPECT_THAT(other.notices, IsEmpty());
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
}

TEST_P(OriginalClients, OwnAnswers_ReachAgent) {
  Original client(server_, GetParam());
  ask("q");
  tell("r");
  client.pump();
  client.reply("q", false, "left");
  client.reply("r", true, "fine");
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
  EXPECT_EQ(calls_[1]->answer().contents(0).text().text(), "fine");
  EXPECT_THAT(client.notices, IsEmpty());
}

TEST_P(OriginalClients, ReturningClient_GetsOpenQuestionsOnRequest) {
  {
    Original before(server_, GetParam());
    ask("q", 60);
    tell("r");
    before.pump();
  }
  Original again(server_, GetParam());
  again.heartbeat();
  again.heartbeat();
  EXPECT_EQ(again.cards_made, GetParam().desktop ? 2 : 0) << "the web client never asks";
}

TEST_P(OriginalClients, WindowChangeWithoutItsPart_ReachesNobody) {
  Original client(server_, GetParam());
  Original other(server_, kLoops[5]);
  client.pump();
  EXPECT_THAT(client.forwards, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Each, OriginalClients, testing::ValuesIn(kLoops),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace parley::assistant
