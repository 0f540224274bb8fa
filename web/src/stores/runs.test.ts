// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import { HttpRuns, RunsError } from '@/runs/http_runs';
import { useAccount } from './account';
import { useRuns } from './runs';

interface Asked {
  path: string;
  method: string;
  body: unknown;
  token: string;
}

const asked: Asked[] = [];
let answers: (path: string) => { status: number; body: unknown } = () => ({ status: 404, body: {} });

function reader(token: string): HttpRuns {
  return new HttpRuns(token, (input, init) => {
    const path = input as string;
    const headers = init?.headers as Record<string, string>;
    asked.push({
      path,
      method: init?.method ?? 'GET',
      body: init?.body ? JSON.parse(init.body as string) : null,
      token: headers['Authorization'] ?? '',
    });
    const { body, status } = answers(path);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
}

const run = (number: number, state = 'finished') => ({
  id: `r${number}`,
  session_id: `s${number}`,
  agent: 'react',
  message: 'hi',
  state,
  started_at: number * 1000,
});

function store() {
  useAccount().use('secret');
  const runs = useRuns();
  runs.readBy(reader);
  return runs;
}

beforeEach(() => {
  setActivePinia(createPinia());
  asked.length = 0;
});

describe('the runs of a token', () => {
  it('are listed newest first, older ones on demand, each once', async () => {
    const runs = store();
    answers = (path) => {
      const before = /before=r(\d+)/.exec(path)?.[1];
      const from = before === undefined ? 250 : Number(before);
      return {
        status: 200,
        body: {
          runs: Array.from({ length: Math.min(100, from - 1) }, (_, at) => run(from - 1 - at)),
          more: from > 101,
        },
      };
    };
    await runs.refresh();
    expect(runs.more).toBe(true);
    await runs.loadOlder();
    await runs.loadOlder();
    expect(runs.runs.map(({ id }) => id)).toEqual(Array.from({ length: 249 }, (_, at) => `r${249 - at}`));
    expect(runs.more).toBe(false);
    await runs.refresh();
    expect(runs.runs).toHaveLength(249);
    expect(asked.every(({ path, token }) => token === 'Bearer secret' && !path.includes('secret'))).toBe(true);
  });

  it('include an active run too old for the newest page', async () => {
    const runs = store();
    answers = () => ({ status: 200, body: { runs: [run(1, 'running')], more: false } });
    await runs.refresh();
    answers = (path) =>
      path === '/v1/runs/r1' ? { status: 200, body: run(1) } : { status: 200, body: { runs: [run(2)], more: true } };
    await runs.refresh();
    expect(runs.runs.map(({ id, state }) => `${id} ${state}`)).toEqual(['r2 finished', 'r1 finished']);
  });

  it('deleted in the meantime go with the next page, within its ends', async () => {
    const runs = store();
    const page = (numbers: number[], more: boolean) => () => ({
      status: 200,
      body: { runs: numbers.map((number) => run(number, number === 1 ? 'running' : 'finished')), more },
    });
    answers = page([6, 5, 4], true);
    await runs.refresh();
    answers = page([3, 2, 1], false);
    await runs.loadOlder();
    answers = (path) => (path === '/v1/runs/r1' ? { status: 404, body: {} } : page([7, 6, 4], true)());
    await runs.refresh();
    expect(
      runs.runs.map(({ id }) => id),
      'r5 and the live r1 are gone, what is older than the page stays',
    ).toEqual(['r7', 'r6', 'r4', 'r3', 'r2']);
    answers = page([7, 2], false);
    await runs.refresh();
    expect(runs.runs.map(({ id }) => id)).toEqual(['r7', 'r2']);
  });

  it('are told apart from a server without runs or out of reach', async () => {
    const runs = store();
    answers = () => ({ status: 404, body: {} });
    await runs.refresh();
    expect(runs.phase).toBe('absent');
    answers = () => ({ status: 503, body: {} });
    await runs.refresh();
    expect(runs.phase).toBe('failed');
  });

  it('are started with the chosen values only', async () => {
    const runs = store();
    answers = () => ({ status: 201, body: run(9, 'running') });
    const started = await runs.start({
      message: 'hi',
      agent: '',
      model: 'lab/small',
      workingFolder: '',
      approve: 'ask',
    });
    expect(asked[0]).toMatchObject({
      path: '/v1/runs',
      method: 'POST',
      body: { message: 'hi', model: 'lab/small', approve: 'ask' },
    });
    expect(started.id).toBe('r9');
    expect(runs.live.map(({ id }) => id)).toEqual(['r9']);
  });

  it('are refused in the words of the server', async () => {
    const runs = store();
    answers = () => ({
      status: 400,
      body: { code: 'invalid_argument', message: 'There is no agent "x".', field: 'agent' },
    });
    const refused = runs.start({ message: 'hi', agent: 'x', model: '', workingFolder: '', approve: '' });
    await expect(refused).rejects.toMatchObject({ status: 400, sentence: 'There is no agent "x".', field: 'agent' });
    await expect(refused).rejects.toBeInstanceOf(RunsError);
  });

  it('report whether an answer to an approval was the first', async () => {
    answers = () => ({ status: 200, body: { won: false } });
    expect(await reader('t').approve('r1', 'c1', false, 'No.')).toBe(false);
    expect(asked[0]).toMatchObject({
      path: '/v1/runs/r1/approvals',
      body: { call_id: 'c1', allow: false, reason: 'No.' },
    });
  });

  it('are forgotten with the token', async () => {
    const runs = store();
    answers = () => ({ status: 200, body: { runs: [run(1)], more: true } });
    await runs.refresh();
    useAccount().use('another');
    await nextTick();
    expect(runs.runs).toEqual([]);
    expect(runs.more).toBe(false);
  });
});

// A server whose list can be changed, and whose stream of changes the test writes.
function streamed() {
  let list: ReturnType<typeof run>[] = [];
  let lines: ReadableStreamDefaultController<Uint8Array> | undefined;
  let streams = 0;
  let pages = 0;
  const make = (token: string) =>
    new HttpRuns(token, (_, init) => {
      if ((init?.headers as Record<string, string>)['Accept'] !== 'text/event-stream') {
        pages += 1;
        return Promise.resolve(new Response(JSON.stringify({ runs: list, more: false })));
      }
      streams += 1;
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (lines = controller) });
      init?.signal?.addEventListener('abort', () => lines?.error(new Error('aborted')));
      return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
    });
  return {
    make,
    set: (now: ReturnType<typeof run>[]) => (list = now),
    remove: (session: string) =>
      lines?.enqueue(new TextEncoder().encode(`event: removed\ndata: {"session_id":"${session}"}\n\n`)),
    tell: (changed: ReturnType<typeof run>) =>
      lines?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(changed)}\n\n`)),
    counts: () => ({ streams, pages }),
  };
}

function hide(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('the runs on a visible page', () => {
  it('follow the server, and are read once', async () => {
    const server = streamed();
    server.set([run(1, 'running')]);
    useAccount().use('secret');
    const runs = useRuns();
    runs.readBy(server.make);
    const end = runs.watchList();
    await vi.waitFor(() => expect(runs.phase).toBe('ready'));
    server.tell(run(2, 'running'));
    server.tell(run(1, 'finished'));
    await vi.waitFor(() =>
      expect(runs.runs.map(({ id, state }) => `${id} ${state}`)).toEqual(['r2 running', 'r1 finished']),
    );
    expect(server.counts()).toEqual({ streams: 1, pages: 1 });
    end();
  });

  it('go with their deleted session, and return with its next use', async () => {
    const server = streamed();
    server.set([{ ...run(3), session_id: 's1' }, run(2), run(1)]);
    useAccount().use('secret');
    const runs = useRuns();
    runs.readBy(server.make);
    const end = runs.watchList();
    await vi.waitFor(() => expect(runs.runs).toHaveLength(3));
    server.remove('s1');
    await vi.waitFor(() => expect(runs.runs.map(({ id }) => id)).toEqual(['r2']));
    server.tell({ ...run(4, 'running'), session_id: 's1' });
    await vi.waitFor(() => expect(runs.runs.map(({ id }) => id)).toEqual(['r4', 'r2']));
    end();
  });

  it('show the state of the line', async () => {
    const server = streamed();
    useAccount().use('secret');
    const runs = useRuns();
    runs.readBy(server.make);
    const end = runs.watchList();
    await vi.waitFor(() => expect(runs.line.phase).toBe('live'));
    end();
    expect(runs.line.phase).toBe('stopped');
  });

  it('are not followed while hidden, and reread when visible', async () => {
    const server = streamed();
    server.set([run(1, 'running')]);
    useAccount().use('secret');
    const runs = useRuns();
    runs.readBy(server.make);
    const end = runs.watchList();
    await vi.waitFor(() => expect(runs.runs).toHaveLength(1));
    hide(true);
    server.set([run(2), run(1)]);
    hide(false);
    await vi.waitFor(() =>
      expect(runs.runs.map(({ id, state }) => `${id} ${state}`)).toEqual(['r2 finished', 'r1 finished']),
    );
    end();
    expect(server.counts().streams).toBe(2);
  });
});
