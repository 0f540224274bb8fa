// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Each fault that the checker must find, planted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChat, checkNumbers, checkQuestion, checkReader, checkRun, checkStudy, endsOf } from './checker.js';
import { History } from './history.js';

const event = (seq, type = 'reply', print = `print ${seq}`) => ({ seq, type, print });
const space = { name: 'space' };

// Expects one fault that matches, or none.
function expectOnly(faults, fits) {
  if (fits === undefined) return assert.deepEqual(faults, []);
  assert.equal(faults.length, 1, JSON.stringify(faults));
  return assert.match(faults[0], fits);
}

test('numbers are gapless, but for those that were announced as skipped', () => {
  expectOnly(checkNumbers('s', [event(1), event(2)]));
  expectOnly(checkNumbers('s', [event(1), event(9, 'numbers.skipped'), event(10)]));
  expectOnly(checkNumbers('s', [event(1), event(3)]), /events 2 to 2 are missing/);
  expectOnly(checkNumbers('s', [event(1), event(1)]), /event 1 comes after event 1/);
});

test('a reader sees all events once, in order, as they are stored', () => {
  const log = [event(1), event(2), event(3)];
  expectOnly(checkReader('r', [event(1), event(2)], log));
  expectOnly(checkReader('r', [event(1), event(3)], log), /stored, not shown: 1 \(reply 2\)/);
  expectOnly(checkReader('r', [event(1), event(2), event(2)], log), /event 2 was shown after event 2/);
  expectOnly(checkReader('r', [event(1), event(2, 'reply', 'another')], log), /with another content/);
  expectOnly(checkReader('r', [...log, event(4)], log), /reply 4 was shown, not stored/);
  expectOnly(checkReader('r', [...log, event(4, 'message_chunk')], log));
});

function question(act) {
  const history = new History();
  const asked = history.asked(space, 'k');
  asked.isAcknowledged = true;
  history.attempted(space, 'k', 'yes').won = true;
  history.attempted(space, 'k', 'no').won = false;
  asked.outcomes.push('yes');
  history.shown(space, 'k', 'yes');
  act(asked, history);
  return asked;
}
const opened = { type: 'interaction.opened', payload: { key: 'k' } };
const closed = (text) => ({
  type: 'interaction.closed',
  payload: { key: 'k', state: 'answered', answer: { contents: [{ text }] } },
});
const checked = (log, act = () => undefined) => checkQuestion(question(act), endsOf(log).get('k'));

test('a question is opened and closed once', () => {
  expectOnly(checked([opened, closed('yes')]));
  expectOnly(checked([]), /was acknowledged and is not stored/);
  expectOnly(checked([opened, opened, closed('yes')]), /was opened 2 times/);
  expectOnly(checked([opened]), /was closed 0 times/);
  expectOnly(checked([opened, closed('yes'), closed('yes')]), /was closed 2 times/);
});

test('the stored answer is the one that won, and that everybody was told', () => {
  const log = [opened, closed('yes')];
  expectOnly(
    checked(log, (asked) => (asked.outcomes = ['no'])),
    /its agent was told "no"/,
  );
  expectOnly(
    checked(log, (asked) => (asked.shown = ['no'])),
    /a page was shown "no"/,
  );
  expectOnly(
    checked(log, (asked) => (asked.attempts[0].won = false)),
    /was told that it lost/,
  );
  expectOnly(checked(log, (asked) => (asked.attempts[0].won = undefined)));
  expectOnly(
    checked(log, (asked) => asked.attempts.push({ text: 'yes', won: true })),
    /has 2 winners/,
  );
  const others = (asked) => Object.assign(asked, { attempts: [], outcomes: [], shown: [] });
  expectOnly(checked(log, others), /which nobody gave/);
  const other = (asked) =>
    Object.assign(asked, { outcomes: [], shown: [], attempts: [{ text: 'yes' }, { text: 'no', won: true }] });
  expectOnly(checked(log, other), /"no" won, and "yes" is stored/);
});

test('a run ends with one reply, which all its watchers are shown', () => {
  const frames = [event(1, 'run_start'), event(2)];
  const run = (more = {}) => ({ id: 'r', isVoid: false, watchers: [frames], ...more });
  expectOnly(checkRun(run(), 'finished', frames));
  expectOnly(checkRun(run(), 'running', frames), /is running in the end/);
  expectOnly(checkRun(run({ watchers: [] }), 'finished', [frames[0]]), /has not one reply/);
  expectOnly(checkRun(run({ watchers: [[frames[0]]] }), 'finished', frames), /was not shown its reply/);
  expectOnly(checkRun(run({ isVoid: true, watchers: [[]] }), 'failed', []));
  expectOnly(checkRun(run({ isVoid: true }), 'failed', frames), /has events/);
});

test('the log of a study has each answered call once, and is sound', () => {
  const study = { id: 's', calls: ['a', 'b'] };
  expectOnly(checkStudy(study, ['b', 'a', 'c'], { sound: true }));
  expectOnly(checkStudy(study, ['a'], { sound: true }), /b is 0 times/);
  expectOnly(checkStudy(study, ['a', 'b', 'b'], { sound: true }), /b is 2 times/);
  expectOnly(checkStudy(study, ['a', 'b'], { sound: false }), /sound/);
});

test('a message of a chat is stored, and no more often than it was sent', () => {
  const chat = { session: 'c', sent: ['1', '2', '2'] };
  expectOnly(checkChat(chat, ['1', '2']));
  expectOnly(checkChat(chat, ['1', '2', '2']));
  expectOnly(checkChat(chat, ['1']), /not stored: 1 \(2\)/);
  expectOnly(checkChat(chat, ['1', '1', '2']), /1 was sent 1 times and is stored 2 times/);
  expectOnly(checkChat(chat, ['1', '2', '2', '2']), /2 was sent 2 times and is stored 3 times/);
  expectOnly(checkChat(chat, ['1', '2', '3']), /3 was never sent/);
});
