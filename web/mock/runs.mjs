// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Runs of the mock server: their list, their frames, one that goes on while one looks.
import { kKinds, runLog } from './run_log.mjs';

const kHow = ['', '', 'failed', '', 'nested', 'asking', ''];
const kModels = ['demo/scripted', 'lab/small-3', 'lab/large-3'];
const kFolders = ['~/shop', '~/shop/reports', '~/notes'];

function stateOf(frames, how, at) {
  if (how === 'asking') return 'waiting';
  const last = frames.at(-1);
  if (last.reply === undefined) return 'interrupted';
  if (last.error) return 'failed';
  return at % 23 === 7 ? 'cancelled' : 'finished';
}

// `count` runs; `events`: the newest finished one has about as many events; `live`: one goes on.
export function makeRuns({ count, events = 0, lang = 'en', live = false }) {
  const runs = [];
  const lists = new Set(); // of those who watch the list
  const models = {
    models: kModels.map((id) => ({ id, name: id.split('/')[1], provider: id.split('/')[0], context_tokens: 128_000, demonstration: id.startsWith('demo') })),
    failures: [],
    default: kModels[0],
  };
  const agents = [...kKinds.map((name) => ({ name, description: '', source: 'builtin', kind: name })), { name: 'explore', description: lang === 'zh' ? '只读取，不更改' : 'Reads, and changes nothing', source: 'project', kind: 'react' }];

  function add(parts) {
    const number = runs.length + 1;
    const id = parts.id ?? `run-${String(number).padStart(4, '0')}`;
    const run = { id, session: `session-${id.slice(4)}`, lang, model: kModels[number % 3], folder: kFolders[number % 3], shown: Infinity, forkedFrom: '', ...parts };
    runs.push(run);
    return run;
  }
  const make = (run) => runLog({ agent: run.agent, how: run.how, lang: run.lang, runId: run.id, seed: run.seed ?? 1, session: run.session, start: run.start, turns: run.turns ?? 0 });
  const framesOf = (run) => (run.frames ??= make(run));
  const short = new Map(); // what the list says of a run is taken from one like it
  const sampleOf = (run) => {
    const key = `${run.agent} ${run.how}`;
    if (!short.has(key)) short.set(key, runLog({ agent: run.agent, how: run.how, lang }));
    return short.get(key);
  };

  for (let at = 0; at < count; at += 1) {
    const fromEnd = count - 1 - at;
    const big = events > 0 && fromEnd === 0;
    const agent = big ? 'react' : kKinds[fromEnd % kKinds.length];
    const how = agent === 'react' && !big ? kHow[fromEnd % kHow.length] : agent === 'got' && fromEnd % 10 === 8 ? 'failed' : '';
    add({ agent, how, start: Date.now() - (fromEnd + 1) * 47 * 60_000, seed: at + 1, turns: big ? Math.ceil(events / 30) : 0 });
  }
  if (live) {
    const run = add({ agent: 'react', how: '', start: Date.now(), seed: 3, turns: 4, shown: 0 });
    const frames = framesOf(run);
    const shift = Date.now() - frames[0].at;
    for (const frame of frames) frame.at += shift;
    play(run);
  }

  function changed(run) {
    for (const list of lists) list.write(`data: ${JSON.stringify(json(run))}\n\n`);
  }

  function streamList(response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(': from here on\n\n');
    lists.add(response);
    response.on('close', () => lists.delete(response));
  }

  // Shows a run's frames at their times; waits where a person is asked.
  function play(run) {
    const frames = framesOf(run);
    run.begun = Date.now();
    run.timer = setInterval(() => {
      while (run.shown < frames.length) {
        const before = frames[run.shown - 1];
        if (before?.type === 'tool_approval' && !run.answered?.has(before.call_id)) return;
        if (frames[run.shown].at > Date.now() + (run.ahead ?? 0)) return;
        run.shown += 1;
        for (const send of run.watchers ?? []) send(frames[run.shown - 1]);
        if (frames[run.shown - 1].type === 'tool_approval') changed(run);
      }
      clearInterval(run.timer);
      changed(run);
      for (const end of run.ends ?? []) end();
    }, 60);
    run.timer.unref();
  }

  const isLive = (run) => run.shown < framesOf(run).length;

  function json(run) {
    const live = run.shown !== Infinity && isLive(run);
    const known = run.frames ?? (run.turns ? framesOf(run) : sampleOf(run));
    const frames = live ? known.slice(0, run.shown) : known;
    const length = (frames.at(-1)?.at ?? run.start) - (known[0]?.at ?? 0);
    const uses = frames.filter((frame) => frame.type === 'usage');
    const sum = (key) => uses.reduce((total, use) => total + use[key], 0);
    const waiting = live && frames.at(-1)?.type === 'tool_approval';
    const state = run.cancelled ? 'cancelled' : live ? (waiting ? 'waiting' : 'running') : stateOf(known, run.how, runs.indexOf(run));
    const over = !['running', 'waiting'].includes(state);
    return {
      id: run.id, session_id: run.session, agent: run.agent, kind: run.agent, model: run.model, message: run.message ?? known[0].message, working_folder: run.folder, state,
      started_at: run.start, ended_at: over ? run.start + length : null, first_event: 1, last_event: over ? frames.length : 0, steps: frames.filter((frame) => frame.type === 'node_enter').length,
      ...(over ? { reply: frames.at(-1)?.reply ?? '' } : {}), ...(state === 'failed' ? { error: known.at(-1).error } : {}),
      usage: { prompt_tokens: sum('prompt_tokens'), completion_tokens: sum('completion_tokens'), total_tokens: sum('total_tokens') },
      ...(run.forkedFrom ? { forked_from: run.forkedFrom } : {}),
    };
  }

  function stream(run, request, response, url) {
    const frames = framesOf(run);
    const after = Number(request.headers['last-event-id'] ?? url.searchParams.get('after') ?? 0);
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const send = (frame) => response.write(`id: ${frame.event_id}\ndata: ${JSON.stringify(frame)}\n\n`);
    for (const frame of frames.slice(after, run.shown)) send(frame);
    const waits = run.how === 'asking' && !run.answered;
    if (!isLive(run) && !waits) return response.end();
    const end = () => response.end();
    (run.watchers ??= new Set()).add(send);
    (run.ends ??= new Set()).add(end);
    response.on('close', () => {
      run.watchers.delete(send);
      run.ends.delete(end);
    });
    return undefined;
  }

  function begin(parts) {
    const run = add({ how: '', start: Date.now(), seed: runs.length + 1, shown: 0, ...parts });
    const frames = framesOf(run);
    if (parts.message) frames[0].message = parts.message;
    play(run);
    changed(run);
    return run;
  }

  function listed(url) {
    const newest = runs.toReversed();
    const before = url.searchParams.get('before');
    const from = before ? newest.findIndex((run) => run.id === before) + 1 : 0;
    const to = from + Number(url.searchParams.get('limit') ?? 50);
    return { runs: newest.slice(from, to).map(json), more: to < newest.length };
  }

  // True if the request was for runs.
  function handle(request, response, url, body, answer) {
    const [what, id, act] = url.pathname.split('/').slice(2).map(decodeURIComponent);
    if (what === 'models') return answer(200, models);
    if (what === 'agents') return answer(200, { agents });
    if (what !== 'runs') return false;
    if (id === undefined) {
      if (request.headers.accept?.includes('text/event-stream')) {
        streamList(response);
        return true;
      }
      if (request.method !== 'POST') return answer(200, listed(url));
      return answer(201, json(begin({ agent: body.agent ?? 'react', model: body.model ?? kModels[0], message: body.message, folder: body.working_folder ?? '~/shop' })));
    }
    const run = runs.find((it) => it.id === id);
    if (!run) return answer(404, { code: 'not_found', message: 'There is no such run.' });
    if (act === 'events') {
      stream(run, request, response, url);
      return true;
    }
    if (act === 'approvals') {
      (run.answered ??= new Set()).add(body.call_id);
      run.ahead = 1e12;
      changed(run);
      return answer(200, { won: true });
    }
    if (act === 'cancel') {
      run.cancelled = true;
      clearInterval(run.timer);
      const frames = framesOf(run).slice(0, run.shown);
      frames.push({ session_id: run.session, event_id: frames.length + 1, reply: '', stop_reason: 'cancelled', at: Date.now() });
      run.frames = frames;
      run.shown = frames.length;
      for (const send of run.watchers ?? []) send(frames.at(-1));
      for (const end of run.ends ?? []) end();
      changed(run);
      return answer(200, json(run));
    }
    if (act === 'fork') return answer(201, json(begin({ agent: run.agent, model: run.model, message: body.message, forkedFrom: run.id })));
    if (act === 'resume') return answer(200, json(run));
    return answer(200, json(run));
  }

  return {
    handle,
    cut: () => {
      for (const run of runs) for (const end of run.ends ?? []) end();
      for (const list of lists) list.end();
    },
  };
}
