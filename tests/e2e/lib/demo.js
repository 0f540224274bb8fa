// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The demonstration data of the pictures: questions of several agents in several projects, of which three wait.
import assert from 'node:assert/strict';
import { post } from './reading.js';

const kWaiting = 3;
const kAtOnce = 20;
const kProjects = ['/src/shop', '/src/notes', '/src/web-shop', '/src/firmware', '/src/论坛'];
const kAgents = ['Coder', 'Planner', 'Reviewer', 'Tester'];
const kQuestions = [
  'The checkout test fails only in CI. Shall I raise its time-out or look for the race?',
  'Which currency should the invoice show for customers abroad?',
  'May I delete `legacy/export.py`? Nothing imports it since March.',
  'The migration locks the table for about 40 s. Run it now, or tonight?',
  '数据库迁移大约需要两分钟。现在执行吗？',
  'Two ways to store attachments:\n\n1. in the database\n2. in files beside it\n\nWhich one?',
];
const kAnswers = [
  'Look for the race. A longer time-out only hides it.',
  'Euro, with a note.',
  'Yes, delete it.',
  'Tonight, after ten.',
  '现在执行。',
  'In files.',
];
const kChoices = [{ label: 'Now' }, { label: 'Tonight', description: 'after ten' }];

const at = (list, number) => list[number % list.length];

async function askOne(server, number, isOpen) {
  const key = `demo-${number}`;
  const text = at(kQuestions, number);
  const prompt = {
    text: isOpen ? text : `${number}. ${text}`,
    project_directory: at(kProjects, number),
    agent_name: at(kAgents, number),
    client_name: 'claude-code',
  };
  if (isOpen && number % 3 === 0) prompt.questions = [{ text, choices: kChoices }];
  await post(server, '/v1/interactions', { key, prompt });
  if (!isOpen) await post(server, `/v1/interactions/${key}/answer`, { text: at(kAnswers, number) });
}

// Adds the questions with the numbers from `from` to `to`; the last three wait.
export async function fillInbox(server, from, to) {
  assert.ok(to - from >= kWaiting);
  const last = to - kWaiting;
  for (let first = from; first < last; first += kAtOnce) {
    await Promise.all(
      Array.from({ length: Math.min(kAtOnce, last - first) }, (_, index) => askOne(server, first + index, false)),
    );
  }
  for (let number = last; number < to; number += 1) await askOne(server, number, true);
}
