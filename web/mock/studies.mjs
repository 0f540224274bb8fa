// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Studies of the mock server: their list, their logs as events, one that goes on while one looks.
import { randomUUID } from 'node:crypto';
import { studyLog } from './study_log.mjs';

const kConditions = ['adaptive', 'plain', 'guided'];
const kScenarios = ['friday-evening', 'family-sunday'];
const kDay = 86_400_000;

function labelsOf(at) {
  return {
    studyId: at % 5 === 4 ? 'seat-choice' : 'movie-night',
    participantId: at % 11 === 10 ? '' : `P-${String(at + 1).padStart(2, '0')}`,
    condition: kConditions[at % 3],
    scenario: kScenarios[at % 2],
  };
}

function summaryOf(lines) {
  const of = (type) => lines.filter((line) => line.direction === 'in' && line.type === type);
  const errors = of('error').length;
  const completed = JSON.stringify(lines.at(-12)?.payload ?? '').includes('Booking Confirmed!');
  return { steps: completed ? 7 : 2, tool_calls: of('tool.call').length, errors, completed };
}

const millis = (line) => Date.parse(line.timestamp);

// `count` studies, one of them with `records` records, and (live) one that goes on.
export function makeStudies({ count, records = 0, live = false }) {
  const epoch = randomUUID();
  const studies = [];
  const watchers = new Set();
  for (let at = 0; at < count; at += 1) {
    const start = Date.now() - (count - at) * 0.37 * kDay;
    const day = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
    const id = `s-${day}-${String((at % 40) + 1).padStart(3, '0')}`;
    const open = live && at === count - 1;
    const wanted = at === count - 2 || count === 1 ? records : 0;
    const stopAfter = at % 4 === 3 ? 3 : 5;
    const make = () => studyLog({ records: open ? 4000 : wanted, seed: at + 1, start: open ? Date.now() - 60_000 : start, sessionId: id, open, stopAfter, labels: labelsOf(at) });
    // Logs are made when they are asked for; numbers for the list come from a short one.
    const sample = studyLog({ seed: at + 1, start, sessionId: id, stopAfter, labels: labelsOf(at) });
    const entry = { id, session: `${id}.mock${at}`, open, lines: null, make, sample, shown: 0, labels: labelsOf(at), implicit: at % 11 === 10 };
    if (open) {
      entry.lines = make();
      entry.shown = entry.lines.findIndex((line) => millis(line) > Date.now());
    }
    studies.push(entry);
  }

  const linesOf = (study) => {
    study.lines ??= study.make();
    return study.open ? study.lines.slice(0, study.shown) : study.lines;
  };

  const eventOf = (study, { clientId, direction, id, payload, replyTo, timestamp, type }, seq) => ({
    session: study.session,
    seq,
    at: Date.parse(timestamp),
    direction,
    type,
    payload: { payload, id, replyTo, clientId },
  });

  const json = (study) => ({
    id: study.id,
    session: study.session,
    study_id: study.labels.studyId,
    participant_id: study.labels.participantId,
    condition: study.labels.condition,
    scenario: study.labels.scenario,
    relay_session: 'default',
    implicit: study.implicit,
    state: study.open ? 'open' : 'ended',
    started_at: millis(study.sample[0]),
    ended_at: study.open ? null : millis(study.sample.at(-1)),
    end_reason: study.open ? '' : 'study-complete',
    log_file: `logs/study/${study.id}.jsonl`,
    record_count: study.open ? null : (study.lines ?? study.sample).length,
  });

  const figuresOf = (study) => summaryOf(study.open ? study.lines.slice(0, study.shown) : study.sample);

  function listed(url, write) {
    const state = url.searchParams.get('state');
    const fitting = studies.toReversed().filter((study) => state === null || (state === 'open') === study.open);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const to = from + Number(url.searchParams.get('limit') ?? 100);
    return { studies: fitting.slice(from, to).map(write), next: to < fitting.length ? String(to) : null };
  }

  setInterval(() => {
    for (const study of studies) {
      while (study.open && study.lines[study.shown] && millis(study.lines[study.shown]) <= Date.now()) {
        study.shown += 1;
        const event = eventOf(study, study.lines[study.shown - 1], study.shown);
        for (const watcher of watchers) if (watcher.study === study) watcher.send(event);
      }
    }
  }, 200).unref();

  function page(study, url) {
    const limit = Number(url.searchParams.get('limit') ?? 100);
    const after = Number((url.searchParams.get('after') ?? '0').split(':').at(-1));
    const lines = linesOf(study);
    const part = lines.slice(after, after + limit);
    return {
      epoch,
      first_seq: 1,
      last_seq: lines.length,
      more: after + part.length < lines.length,
      events: part.map((line, at) => eventOf(study, line, after + at + 1)),
    };
  }

  function stream(study, request, response) {
    const last = String(request.headers['last-event-id'] ?? '0');
    let place = Number(last.split(':').at(-1));
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const send = (event) => {
      if (event.seq <= place) return;
      place = event.seq;
      response.write(`id: ${epoch}:${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    };
    linesOf(study).forEach((line, at) => send(eventOf(study, line, at + 1)));
    const watcher = { study, send, end: () => response.destroy() };
    watchers.add(watcher);
    response.on('close', () => watchers.delete(watcher));
  }

  // True if the request was for studies.
  function handle(request, response, url, answer) {
    const parts = url.pathname.split('/').slice(2).map(decodeURIComponent);
    if (parts[0] === 'study-kit') {
      const kit = [{ id: 'movie-night', title: 'Movie night' }, { id: 'seat-choice', title: 'Choosing seats' }];
      return answer(200, { studies: count === 0 ? [] : kit });
    }
    if (parts[0] === 'sessions' && parts[2] === 'events') {
      const study = studies.find((it) => it.session === parts[1]);
      if (!study) return false;
      if (request.headers.accept?.includes('text/event-stream')) stream(study, request, response);
      else answer(200, page(study, url));
      return true;
    }
    if (parts[0] !== 'studies') return false;
    if (parts.length === 1) return answer(200, listed(url, json));
    if (parts[1] === 'summary') return answer(200, listed(url, (study) => ({ ...json(study), summary: figuresOf(study) })));
    const study = studies.find((it) => it.id === parts[1]);
    if (!study) return answer(404, { code: 'not_found', message: 'No such study.' });
    if (parts[2] === 'log') {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.end(linesOf(study).map((line) => `${JSON.stringify(line)}\n`).join(''));
      return true;
    }
    if (parts[2] === 'calls.csv') return answer(200, 'session,index');
    if (parts[2] === 'verify') return answer(200, { study: study.id, records: linesOf(study).length, sound: true, findings: [], more: false });
    return answer(200, json(study));
  }

  return { handle, cut: () => watchers.forEach((watcher) => watcher.end()) };
}
