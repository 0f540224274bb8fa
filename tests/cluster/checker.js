// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Compares what clients were told with what is stored in the end. Each function returns sentences, one a fault.
import { isFlowing } from './history.js';

const kMostNamed = 3; // missing or surplus things that a sentence names

const some = (things) => `${things.length} (${things.slice(0, kMostNamed).join(', ')})`;

// `log`: the events of a session in their order, {seq, type, payload}. Numbers are gapless but for those that a
// numbers.skipped announces.
export function checkNumbers(session, log) {
  const faults = [];
  let next = 1;
  for (const { seq, type } of log) {
    if (seq < next) faults.push(`${session}: event ${seq} comes after event ${next - 1}`);
    if (seq > next && type !== 'numbers.skipped') faults.push(`${session}: events ${next} to ${seq - 1} are missing`);
    next = seq + 1;
  }
  return faults;
}

// What one reader has seen, {seq, type, print}, of a log of such: all of it once, in order, up to the last one that
// it has seen, and nothing else but flowing events.
export function checkReader(name, seen, log) {
  const faults = [];
  const stored = new Map(log.map((event) => [event.seq, event]));
  let last = 0;
  const had = new Set();
  for (const event of seen) {
    if (event.seq <= last) faults.push(`${name}: event ${event.seq} was shown after event ${last}`);
    last = Math.max(last, event.seq);
    had.add(event.seq);
    const same = stored.get(event.seq);
    if (same === undefined && !isFlowing(event.type))
      faults.push(`${name}: ${event.type} ${event.seq} was shown, not stored`);
    if (same !== undefined && same.print !== event.print)
      faults.push(
        `${name}: event ${event.seq} was shown as ${event.type} and stored as ${same.type}, or with another content`,
      );
  }
  const missed = log.filter(({ seq }) => seq <= last && !had.has(seq));
  if (missed.length > 0)
    faults.push(`${name}: stored, not shown: ${some(missed.map((each) => `${each.type} ${each.seq}`))}`);
  return faults;
}

// The ends of questions by key: {opened, closed: [{state, text}]}, numbers of times.
export function endsOf(log) {
  const ends = new Map();
  const of = (key) => {
    if (!ends.has(key)) ends.set(key, { opened: 0, closed: [] });
    return ends.get(key);
  };
  for (const { type, payload } of log) {
    if (type === 'interaction.opened') of(payload.key).opened += 1;
    if (type === 'interaction.closed')
      of(payload.key).closed.push({ state: payload.state, text: payload.answer?.contents?.[0]?.text });
  }
  return ends;
}

// `end`: what endsOf() has of this question, or undefined.
export function checkQuestion(question, end) {
  const name = `question ${question.key} of ${question.space}`;
  if (end === undefined) {
    const isKnown = question.isAcknowledged || question.attempts.some(({ won }) => won);
    return isKnown ? [`${name} was acknowledged and is not stored`] : [];
  }
  const faults = [];
  if (end.opened !== 1) faults.push(`${name} was opened ${end.opened} times`);
  if (end.closed.length !== 1) faults.push(`${name} was closed ${end.closed.length} times`);
  const [closed] = end.closed;
  if (closed === undefined) return faults;
  const outcome = closed.state === 'answered' ? closed.text : closed.state;
  if (closed.state === 'answered' && !question.attempts.some(({ text }) => text === closed.text))
    faults.push(`${name} has the answer "${closed.text}", which nobody gave`);
  const winners = question.attempts.filter(({ won }) => won);
  if (winners.length > 1) faults.push(`${name} has ${winners.length} winners`);
  for (const { text } of winners)
    if (text !== outcome) faults.push(`${name}: "${text}" won, and "${outcome}" is stored`);
  // Allow is given by several.
  const sure = question.attempts.filter(({ text, won }) => text === outcome && won === false);
  if (sure.length > 0 && question.attempts.filter(({ text }) => text === outcome).length === sure.length)
    faults.push(`${name}: the answer "${outcome}" is stored, and was told that it lost`);
  for (const told of question.outcomes)
    if (told !== outcome) faults.push(`${name}: its agent was told "${told}", not "${outcome}"`);
  for (const told of question.shown)
    if (told !== outcome) faults.push(`${name}: a page was shown "${told}", not "${outcome}"`);
  return faults;
}

// `frames`: those of the run as they are stored, {seq, type, print}; `state`: how the run stands in the list.
export function checkRun(run, state, frames) {
  if (run.isVoid) return frames.length === 0 ? [] : [`run ${run.id} has events, and is listed without`];
  const faults = [];
  if (state !== 'finished') faults.push(`run ${run.id} is ${state} in the end`);
  const replies = frames.filter(({ type }) => type === 'reply').map(({ seq, stop }) => `${seq} ${stop}`);
  if (replies.length !== 1) faults.push(`run ${run.id} has not one reply: ${replies.join(', ')}`);
  for (const [i, seen] of run.watchers.entries())
    faults.push(...checkReader(`watcher ${i + 1} of run ${run.id}`, seen, frames));
  for (const [i, seen] of run.watchers.entries())
    if (seen.at(-1)?.type !== 'reply') faults.push(`watcher ${i + 1} of run ${run.id} was not shown its reply`);
  return faults;
}

// `marks`: those of the calls in the log of the study, with repetitions; `report`: what the server's own check says.
export function checkStudy(study, marks, report) {
  const faults = [];
  if (!report.sound) faults.push(`study ${study.id}: ${JSON.stringify(report)}`);
  for (const mark of study.calls) {
    const times = marks.filter((each) => each === mark).length;
    if (times !== 1) faults.push(`study ${study.id}: ${mark} is ${times} times in its log`);
  }
  return faults;
}

// `stored`: ids of the requests in the log of the chat. A message that was sent again is another one for the server.
export function checkChat(chat, stored) {
  const faults = [];
  for (const id of new Set(stored)) {
    const times = stored.filter((each) => each === id).length;
    const sent = chat.sent.filter((each) => each === id).length;
    if (sent === 0) faults.push(`chat ${chat.session}: ${id} was never sent`);
    else if (times > sent)
      faults.push(`chat ${chat.session}: ${id} was sent ${sent} times and is stored ${times} times`);
  }
  const missing = [...new Set(chat.sent)].filter((id) => !stored.includes(id));
  if (missing.length > 0) faults.push(`chat ${chat.session}: not stored: ${some(missing)}`);
  return faults;
}
