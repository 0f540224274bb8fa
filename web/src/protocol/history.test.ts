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
    expect(() => readPage({ events: [{ seq: 1, type: 'interaction.opened', payload }] })).not.toThrow();
  });

  it('reads the bounds of a page from its events, odd ones included', () => {
    const page = readPage({
      epoch: 'e',
      more: true,
      events: [
        { seq: 4, type: 'interaction.opened', payload: kOpened },
        { seq: 9, type: 'something.else', payload: {} },
      ],
    });
    expect(page).toMatchObject({ epoch: 'e', more: true, firstSeq: 4, lastSeq: 9 });
    expect(page.events).toHaveLength(1);
  });

  it('asks the server for its own session among any number of others', async () => {
    const fetched = vi.fn<(url: string) => Promise<Response>>();
    fetched.mockResolvedValue(Response.json({ session: 'assistant-1' }));
    vi.stubGlobal('fetch', fetched);
    expect(await new HttpHistory('secret').session()).toBe('assistant-1');
    expect(fetched.mock.calls[0]?.[0]).toBe('/v1/me');
  });

  it('requests the newest page with the token outside the address', async () => {
    const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
    fetched.mockResolvedValue(Response.json({ events: [] }));
    vi.stubGlobal('fetch', fetched);
    await new HttpHistory('secret').page('s 1', null);
    const [url, init] = fetched.mock.calls[0] ?? [''];
    expect(url).toMatch(/^\/v1\/sessions\/s%201\/events\?limit=50&max_bytes=131072&types=.*&before=9007199254740991$/);
    expect(url).not.toContain('secret');
    expect(init?.headers).toMatchObject({ Authorization: 'Bearer secret' });
  });

  it('reports the status of a refusal', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 503 })));
    await expect(new HttpHistory('t').session()).rejects.toEqual(new HistoryError(503));
  });
});
