// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HistoryError, HttpHistory, readClosed, readOpened, readPage } from './history';

const kOpened = {
  id: 'i1',
  key: 'r1',
  kind: 'question',
  prompt: { text: 'q', project_directory: '/p', agent_name: 'A', timeout_s: 60, questions: [] },
  opened_at: 1000,
  deadline: 61_000,
};

describe('history', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('reads an opened interaction', () => {
    expect(readOpened(kOpened)).toMatchObject({
      key: 'r1',
      kind: 'question',
      deadline: 61_000,
      state: 'pending',
      prompt: { text: 'q', project: '/p', agent: 'A' },
    });
  });

  it('reads an answer with its contents and its author', () => {
    const closed = readClosed({
      key: 'r1',
      state: 'answered',
      answer: {
        is_error: false,
        contents: [
          { type: 'text', text: 'yes' },
          { type: 'resource', uri: 'file://a', mime_type: 'text/plain', data: 'AQ==' },
          { type: 'hologram' },
        ],
      },
      client_id: 'c',
      nickname: 'Bo',
      at: 5,
    });
    expect(closed?.outcome).toMatchObject({ clientId: 'c', nickname: 'Bo', channel: '', at: 5 });
    expect(closed?.outcome.contents.map((content) => content.type)).toEqual(['text', 'resource']);
  });

  it('of tool calls have the choices that their event leaves out', () => {
    const opened = readOpened({
      key: 'run/approval/c',
      kind: 'tool_approval',
      prompt: { text: 'Allow `bash` to run?' },
    });
    expect(opened?.prompt.questions.map(({ choices, text }) => [text, ...choices.map(({ label }) => label)])).toEqual([
      ['Allow `bash` to run?', 'Allow', 'Deny'],
    ]);
    expect(readOpened({ key: 'q', kind: 'question', prompt: { text: 'Why?' } })?.prompt.questions).toEqual([]);
  });

  it('name the token or device that closed a question, before the name that it gave itself', () => {
    const closed = readClosed({
      key: 'q',
      state: 'answered',
      nickname: 'Merry Otter',
      by: { token: 't', name: "Ann's phone", channel: 'push' },
    });
    expect(closed?.outcome).toMatchObject({ nickname: "Ann's phone", channel: 'push' });
    expect(readClosed({ key: 'q', state: 'answered', nickname: 'Bo', by: 7 })?.outcome).toMatchObject({
      nickname: 'Bo',
      channel: '',
    });
  });

  it.each([null, 7, 'x', [], {}, { key: 'r', state: 'melted' }])('skips an unreadable payload: %j', (payload) => {
    expect(readClosed(payload)).toBeNull();
    expect(() => readPage({ interactions: [payload] })).not.toThrow();
  });

  it('reads questions with their ends, and the places of a page', () => {
    const outcome = { answer: { contents: [{ type: 'text', text: 'yes' }] }, nickname: 'Bo', at: 5 };
    const page = readPage({
      epoch: 'e',
      more: true,
      first_change: 4,
      last_change: 9,
      interactions: [{ ...kOpened, state: 'pending' }, { ...kOpened, key: 'r2', state: 'answered', outcome }, 7],
    });
    expect(page).toMatchObject({ epoch: 'e', more: true, firstChange: 4, lastChange: 9 });
    expect(page.entries.map(({ opened, closed }) => [opened.key, closed?.state, closed?.outcome.nickname])).toEqual([
      ['r1', undefined, undefined],
      ['r2', 'answered', 'Bo'],
    ]);
  });

  it('requests the newest page with the token outside the address', async () => {
    const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
    fetched.mockResolvedValue(Response.json({ interactions: [] }));
    vi.stubGlobal('fetch', fetched);
    await new HttpHistory('secret').page(null);
    const [url, init] = fetched.mock.calls[0] ?? [''];
    expect(url).toBe('/v1/interactions?state=all&limit=50&max_bytes=131072');
    expect(url).not.toContain('secret');
    expect(init?.headers).toMatchObject({ Authorization: 'Bearer secret' });
  });

  it('reports the status of a refusal', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 503 })));
    await expect(new HttpHistory('t').page(null)).rejects.toEqual(new HistoryError(503));
  });
});
