// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Reads what is stored in the end, of the database itself where that can be, and gives it to the checker.
import { checkChat, checkNumbers, checkQuestion, checkReader, checkRun, checkStudy, endsOf } from './checker.js';
import { seenOf } from './runs.js';
import { fingerprint } from './world.js';

const kAll = `
  SELECT json_build_object('session', s.id, 'owner', s.owner, 'seq', e.key % 68719476736, 'at', e.at, 'type', e.type,
                           'payload', e.payload)
  FROM parley_events.events e JOIN parley_events.sessions s ON s.number = e.key / 68719476736 ORDER BY e.key`;

// The logs of all sessions, by id.
async function storedLogs(cluster) {
  const logs = new Map();
  for (const line of await cluster.pair.primary.query(kAll)) {
    const { session, owner, payload, ...event } = JSON.parse(line);
    if (!logs.has(session)) logs.set(session, Object.assign([], { owner }));
    const said = JSON.parse(payload);
    logs.get(session).push({ ...event, payload: said, print: fingerprint([event.type, said, event.at]) });
  }
  return logs;
}

// Empty: there is no such thing.
async function read(node, path, space) {
  const headers = { Authorization: `Bearer ${space.token}`, Accept: 'application/x-ndjson, application/json' };
  const answer = await fetch(node.url + path, { headers });
  const text = await answer.text();
  if (answer.status === 404) return '';
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}
const linesOf = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

// The marks of the calls that the host was sent.
const marksOf = (records) =>
  records
    .filter(({ direction, type }) => direction === 'in' && type === 'tool.call')
    .map(({ payload }) => payload.params.mark);

export async function check(cluster, spaces, history) {
  const logs = await storedLogs(cluster);
  const faults = [];
  for (const [session, log] of logs) faults.push(...checkNumbers(session, log));
  for (const [session, readers] of history.sessions)
    for (const seen of readers) faults.push(...checkReader(`reader of ${session}`, seen, logs.get(session) ?? []));
  for (const space of spaces) {
    const own = [...logs.values()].filter(({ owner }) => `assistant-${owner}` === space.session).flat();
    const ends = endsOf(own);
    const questions = [...history.questions.values()].filter((each) => each.space === space.name);
    for (const question of questions) faults.push(...checkQuestion(question, ends.get(question.key)));
  }
  const [node] = cluster.nodes;
  for (const run of history.runs.values()) {
    const listed = await read(node, `/v1/runs/${run.id}`, run.space);
    const state = listed === '' ? 'not listed' : JSON.parse(listed).state;
    const frames = linesOf(await read(node, `/v1/runs/${run.id}/events?follow=false`, run.space)).map(seenOf);
    faults.push(...checkRun(run, state, frames));
  }
  for (const study of history.studies) {
    const report = JSON.parse(await read(node, `/v1/studies/${study.id}/verify`, study.space));
    const records = linesOf(await read(node, `/v1/studies/${study.id}/log`, study.space));
    faults.push(...checkStudy(study, marksOf(records), report));
  }
  for (const chat of history.chats) {
    const stored = (logs.get(chat.session) ?? []).filter(({ type }) => type === 'chat.request');
    faults.push(
      ...checkChat(
        chat,
        stored.map(({ payload }) => payload.request_id),
      ),
    );
  }
  return faults;
}
