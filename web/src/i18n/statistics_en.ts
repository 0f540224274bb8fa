// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The page of statistics.
export const statisticsEn = {
  title: 'Statistics',
  range: 'Period',
  days: '{count} days',
  open: 'Open now',
  asked: 'Asked',
  answered: 'Answered',
  expired: 'Not answered in time',
  cancelled: 'Cancelled',
  share: '{percent} answered',
  perDay: 'Questions a day',
  perDayWords: '{asked} asked and {answered} answered in {count} days.',
  time: 'Time to answer',
  timeWords: 'Half of the answers of a day came within the median, nine of ten within the 90th percentile.',
  median: 'Median',
  p90: '90th percentile',
  day: 'Day',
  table: 'As a table',
  agents: 'By agent',
  projects: 'By project',
  people: 'By person',
  name: 'Name',
  unnamed: 'Without a name',
  loading: 'Counting…',
  none: 'Nothing was asked in this period',
  noneWords: 'When agents ask, this page shows how many questions there were, and how long they waited for an answer.',
  failed: 'The figures could not be loaded. {reason}',
  absent: 'This server has no statistics. A newer version has them.',
  noAnswers: 'No answers in this period.',
};
