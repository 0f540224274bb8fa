// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace parley::net {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, Counter_IsSameForNameAndLabelsInAnyOrder) {
  Metrics metrics;
  Counter& one = metrics.counter("parley_x_total", "X.", {{"a", "1"}, {"b", "2"}});
  Counter& same = metrics.counter("parley_x_total", "X.", {{"b", "2"}, {"a", "1"}});
  Counter& other = metrics.counter("parley_x_total", "X.", {{"a", "1"}, {"b", "3"}});
  EXPECT_EQ(&one, &same);
  EXPECT_NE(&one, &other);
  one.add();
  same.add(2);
  EXPECT_DOUBLE_EQ(one.value(), 3);
  EXPECT_THAT(metrics.render(), HasSubstr("parley_x_total{a=\"1\",b=\"2\"} 3\n"));
}

TEST(Metrics, Rendering_HasHelpAndTypeOfEachName) {
  Metrics metrics;
  metrics.counter("parley_x_total", "Things that happened.").add();
  metrics.gauge("parley_open", "Things that are open.", [] { return 7.0; }, {{"kind", "a\"b"}});
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("# HELP parley_x_total Things that happened.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE parley_x_total counter\nparley_x_total 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE parley_open gauge\nparley_open{kind=\"a\\\"b\"} 7\n"));
}

TEST(Metrics, GaugeOfSameNameAndLabels_IsReplaced) {
  Metrics metrics;
  metrics.gauge("parley_open", "Open.", [] { return 1.0; });
  metrics.gauge("parley_open", "Open.", [] { return 2.0; });
  EXPECT_THAT(metrics.render(), HasSubstr("parley_open 2\n"));
  EXPECT_THAT(metrics.render(), Not(HasSubstr("parley_open 1\n")));
}

TEST(Metrics, Name_IsEitherCounterOrGauge) {
  Metrics metrics;
  metrics.counter("parley_x_total", "X.");
  metrics.gauge("parley_open", "Open.", [] { return 1.0; });
  EXPECT_THROW(metrics.gauge("parley_x_total", "X.", [] { return 1.0; }), std::logic_error);
  EXPECT_THROW(metrics.counter("parley_open", "Open."), std::logic_error);
}

TEST(Metrics, CountsFromManyThreads_LoseNothing) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&metrics] {
      for (int j = 0; j < 1'000; ++j) metrics.counter("parley_x_total", "X.").add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_DOUBLE_EQ(metrics.counter("parley_x_total", "X.").value(), 4'000);
}

}  // namespace
}  // namespace parley::net
