// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import { choose, fileKind, kMaxFileBytes, previewOf, readAttachment } from './attachments';
import { callObject, readable, resultLine } from './call_words';
import { kMaxNoteChars, runClientTool } from './client_tools';
import { commandOf, suggestions } from './commands';
import { answerFrame, messageFrame } from './frames';
import { HttpChat } from './http_chat';
import { ServerError } from '@/wire/wrapped_server';
import { kMaxUndo, kNothingStored, readKept, withImported, withNote, withoutLastChange, withWorkflow } from './keep';
import { picturesOf } from './pictures';
import { findItems } from './search';
import { textBlocks } from './text_blocks';

const kFlow = '{"1":{"class_type":"A","inputs":{}}}';

describe('commands', () => {
  it('are taken exactly; other text goes to the agent', () => {
    expect(['/help', ' /clear ', '/compact'].map(commandOf)).toEqual(['/help', '/clear', '/compact']);
    expect(['/view what is it?', '/helpme', 'help', '/', '//'].map(commandOf)).toEqual([null, null, null, null, null]);
  });

  it('are suggested in the typed case', () => {
    expect(suggestions('/')).toHaveLength(3);
    expect(suggestions('/c')).toEqual(['/clear', '/compact']);
    expect(suggestions('/c x')).toEqual([]);
    expect(suggestions('say /c')).toEqual([]);
  });
});

describe('messages to the server', () => {
  it('leave out empty parts', () => {
    const frame = messageFrame({
      requestId: 'r',
      content: 'hi',
      agentCode: '',
      toolSchemas: [],
      multimodalContents: [],
      workflowContent: '',
      replaces: '',
    });
    expect(frame).toEqual({ type: 'USER_MESSAGE', requestId: 'r', content: 'hi', data: { type: 'USER_MESSAGE' } });
  });

  it('tell the scope of an approval, but never of a denial', () => {
    const call = { requestId: 'r', callId: 'c', name: 'bash', args: '{}', isClient: false };
    expect(answerFrame(call, { is: 'allow', scope: 'always' })['data']).toMatchObject({
      isAllow: true,
      scope: 'always',
      toolArgs: '{}',
    });
    const denied = answerFrame(call, { is: 'deny' })['data'];
    expect(denied).toMatchObject({ isAllow: false });
    expect(denied).not.toHaveProperty('scope');
    expect(answerFrame({ ...call, isClient: true }, { is: 'failed', error: 'no' })['data']).toMatchObject({
      isAllow: true,
      success: false,
      error: 'no',
    });
  });
});

describe('attachments', () => {
  const file = (name: string, type: string, size = 10) => ({ name, type, size });

  it('are limited to kinds that the model takes', () => {
    expect(
      [
        file('a.png', 'image/png'),
        file('a.mp3', 'audio/mpeg'),
        file('a.pdf', 'application/pdf'),
        file('a.rs', ''),
        file('a.json', 'application/json'),
        file('a.svg', 'image/svg+xml'),
        file('a.zip', 'application/zip'),
      ].map(fileKind),
    ).toEqual(['image', 'audio', 'pdfFile', 'text', 'text', 'text', null]);
  });

  it('are at most three of bounded size, with a reason for refusals', () => {
    const { refused, taken } = choose(
      [
        file('big.png', 'image/png', kMaxFileBytes + 1),
        file('a.exe', 'application/x-msdownload'),
        file('a.png', 'image/png'),
        file('b.png', 'image/png'),
      ],
      2,
    );
    expect(taken.map(({ name }) => name)).toEqual(['a.png']);
    expect(refused).toEqual([
      { name: 'big.png', why: 'tooLarge' },
      { name: 'a.exe', why: 'noKind' },
      { name: 'b.png', why: 'tooMany' },
    ]);
  });

  it('are bounded by the size of a message', () => {
    const large = [1, 2, 3].map((n) => file(`${n}.png`, 'image/png', kMaxFileBytes));
    expect(choose(large, 0).refused).toEqual([{ name: '3.png', why: 'tooLarge' }]);
    expect(choose(large.slice(0, 1), 2, 2 * kMaxFileBytes).taken).toEqual([]);
  });

  it('are sent as text or base64, and only pictures are shown', async () => {
    const text = await readAttachment(new File(['hello'], 'a.txt', { type: 'text/plain' }));
    expect(text.content).toEqual({ type: 'text', text: 'a.txt:\nhello' });
    const picture = await readAttachment(new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' }));
    expect(picture.content).toMatchObject({
      type: 'image',
      isUseBase64: true,
      base64Data: 'AQID',
      uploadFileName: 'a.png',
    });
    expect([previewOf(text), previewOf(picture)]).toEqual(['', 'data:image/png;base64,AQID']);
  });
});

describe('tools of the page', () => {
  const documents = (workflow = '') => ({
    workflow: () => workflow,
    setWorkflow: vi.fn(),
    note: vi.fn(),
    pickFile: vi.fn(() => Promise.resolve<{ name: string; text: string } | null>(null)),
  });

  it('give the open workflow or report that none is open', async () => {
    expect(await runClientTool('get_workflow', '{}', 'c', documents())).toMatchObject({ is: 'failed' });
    expect(await runClientTool('get_workflow', '{}', 'c', documents(kFlow))).toEqual({
      is: 'done',
      result: JSON.stringify({ success: true, content: kFlow }),
    });
  });

  it('replace the workflow only by a workflow', async () => {
    const on = documents();
    expect(await runClientTool('set_workflow', '{"workflowJson":"{}"}', 'c', on)).toMatchObject({
      is: 'failed',
      error: /workflowJson/,
    });
    expect(on.setWorkflow).not.toHaveBeenCalled();
    expect(await runClientTool('set_workflow', JSON.stringify({ workflowJson: kFlow }), 'c', on)).toMatchObject({
      is: 'done',
    });
    expect(on.setWorkflow).toHaveBeenCalledWith(kFlow, 'c');
  });

  it('give a file only after the person’s choice', async () => {
    const on = documents();
    expect(await runClientTool('pick_file', '{"reason":"why"}', 'c', on)).toMatchObject({ is: 'failed' });
    expect(on.pickFile).toHaveBeenCalledWith('why');
    on.pickFile.mockResolvedValueOnce({ name: 'a.txt', text: 'one' });
    expect(await runClientTool('pick_file', '{}', 'c', on)).toMatchObject({
      is: 'done',
      result: '{"success":true,"name":"a.txt","text":"one"}',
    });
  });

  it('keep a note, and refuse an empty or oversized one', async () => {
    const on = documents();
    await runClientTool('take_note', '{"text":" remember "}', 'c', on);
    expect(on.note).toHaveBeenCalledWith('remember');
    for (const text of ['', 'x'.repeat(kMaxNoteChars + 1)])
      expect(await runClientTool('take_note', JSON.stringify({ text }), 'c', on)).toMatchObject({
        is: 'failed',
        error: /"text"/,
      });
    expect(await runClientTool('other', 'no json', 'c', on)).toMatchObject({ is: 'failed' });
  });
});

describe('data kept beside a session', () => {
  it('holds the agent’s changes, undone one by one', () => {
    let stored = withImported(kNothingStored, 'a');
    stored = withWorkflow(withWorkflow(stored, 'b', 'c1', []), 'c', 'c2', [
      { node: '1', title: '', is: 'added', input: '', before: '', after: 'A' },
    ]);
    expect(stored.undo).toEqual(['a', 'b']);
    expect(stored.changes.map(([id]) => id)).toEqual(['c2']);
    stored = withoutLastChange(withoutLastChange(stored));
    expect(stored).toMatchObject({ workflow: 'a', undo: [], seen: 'a' });
    expect(withoutLastChange(stored)).toBe(stored);
  });

  it('is bounded', () => {
    let stored = withImported(kNothingStored, 'x');
    for (let n = 0; n < 50; n += 1) stored = withNote(withWorkflow(stored, `w${n}`, 'c', []), { at: n, text: 'n' });
    expect(stored.undo).toHaveLength(kMaxUndo);
    const large = 'y'.repeat(9 * 1024 * 1024);
    expect(
      withWorkflow(withWorkflow(withImported(stored, large), `${large}1`, 'c', []), 'z', 'c', []).undo,
    ).toHaveLength(1);
  });

  it('reads data of other versions', () => {
    expect(readKept(undefined)).toEqual(kNothingStored);
    expect(readKept({ workflow: 7, undo: 'x', notes: [{ text: 'a' }], changes: [['c', []], 'odd'] })).toEqual({
      ...kNothingStored,
      notes: [{ at: 0, text: 'a' }],
      changes: [['c', []]],
    });
  });
});

describe('texts of Markdown', () => {
  it('are cut at blank lines outside fences, lists, quotations and tables', () => {
    expect(textBlocks('one\n\ntwo')).toEqual(['one\n', 'two']);
    expect(textBlocks('```js\na\n\nb\n```\n\nafter')).toHaveLength(2);
    expect(textBlocks('- a\n\n- b\n\n  more of b')).toHaveLength(1);
    expect(textBlocks('> a\n\n> b')).toHaveLength(1);
    expect(textBlocks('\n \n')).toEqual([]);
  });

  it('change only their last part while growing', () => {
    const text = 'First.\n\nSecond one.\n\n```\ncode\n\nmore\n```\n\nLast.';
    let before: string[] = [];
    for (let end = 1; end <= text.length; end += 1) {
      const blocks = textBlocks(text.slice(0, end));
      expect(blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = blocks;
    }
    expect(before).toHaveLength(4);
  });

  it('keep a fence open at a shorter fence', () => {
    expect(textBlocks('````\n```\n\na\n````\n\nb')).toHaveLength(2);
  });
});

describe('words of calls', () => {
  it('name the subject of a call', () => {
    expect(callObject({ name: 'workflow_node_set', args: '{"node":"3","input":"steps","value":30}' })).toBe(
      '3 · steps = 30',
    );
    expect(
      callObject({ name: 'workflow_connect', args: '{"from":"4","output":"MODEL","to":"3","input":"model"}' }),
    ).toBe('4 · MODEL → 3 · model');
    expect(callObject({ name: 'bash', args: JSON.stringify({ command: 'ls\n -l' }) })).toBe('ls -l');
    expect(callObject({ name: 'odd', args: 'not json' })).toBe('');
  });

  it('name the result of a call', () => {
    expect(resultLine('{"success":true,"message":"Queued."}')).toBe('Queued.');
    expect(resultLine('\none\ntwo')).toBe('one');
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readable('{broken')).toBe('{broken');
  });
});

describe('pictures of results', () => {
  it('are taken from this server only', () => {
    const result = JSON.stringify({
      images: [
        { url: '/api/v1/comfyui/view?filename=a.png', filename: 'a.png' },
        { url: 'https://evil.example/a.png' },
        { url: '//evil.example/api/v1/' },
        { url: '/api/v1/../../x' },
        '/api/v1/files/b.png',
      ],
      videos: [{ url: '/api/v1/c.mp4', filename: 'c.mp4' }],
    });
    expect(picturesOf(result)).toEqual([
      { path: '/api/v1/comfyui/view?filename=a.png', name: 'a.png', video: false },
      { path: '/api/v1/files/b.png', name: '', video: false },
      { path: '/api/v1/c.mp4', name: 'c.mp4', video: true },
    ]);
    expect(picturesOf('see /api/v1/x')).toEqual([]);
  });

  const view = (name: string) => ({
    url: `/api/v1/comfyui/1/view?filename=${name}`,
    filename: name,
    subfolder: '',
    type: 'output',
    node: '9',
  });
  const history = JSON.stringify({
    prompts: [
      { status: 'success', images: [view('b.png'), view('c.png')] },
      { status: 'error' },
      { images: [view('a.png')], videos: [view('d.webm')] },
      7,
    ],
  });

  it('are taken from several runs, each once', () => {
    expect(picturesOf(history).map(({ name, video }) => [name, video])).toEqual([
      ['b.png', false],
      ['c.png', false],
      ['a.png', false],
      ['d.webm', true],
    ]);
    expect(
      picturesOf(JSON.stringify({ prompts: [{ images: [view('a.png')] }, { images: [view('a.png')] }] })),
    ).toHaveLength(1);
  });

  it('are taken from a truncated result', () => {
    expect(picturesOf(history.slice(0, history.indexOf('d.webm'))).map(({ name }) => name)).toEqual([
      'b.png',
      'c.png',
      'a.png',
    ]);
    expect(picturesOf('{"prompts":[{"images":[{"url":"https://evil.example/api/v1/","filename":"x.png"')).toEqual([]);
  });
});

describe('search', () => {
  it('finds items with all words, also of calls', () => {
    const base = { requestId: 'r', at: 0 };
    const items = [
      { ...base, key: 'a', is: 'text', text: 'Change the Steps', streaming: false },
      { ...base, key: 'b', is: 'error', text: 'no steps' },
      { ...base, key: 'c', is: 'interrupted' },
    ] as const;
    expect(findItems(items, 'steps change')).toEqual(['a']);
    expect(findItems(items, 'steps')).toEqual(['a', 'b']);
    expect(findItems(items, '  ')).toEqual([]);
  });
});

describe('sessions over HTTP', () => {
  const http = (status: number, body: unknown) => {
    const asked: [string, RequestInit | undefined][] = [];
    const chat = new HttpChat('t', (input, init) => {
      asked.push([input as string, init]);
      return Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
    });
    return { asked, chat };
  };

  it('are read with their times, newest first', async () => {
    const { asked, chat } = http(200, {
      code: 200,
      data: [
        { sessionCode: 'a', title: 'A', createTime: '2026-01-01 00:00:00' },
        { sessionCode: 'b', updateTime: '2026-01-02 00:00:00', comfyuiServerId: 4 },
        {},
      ],
    });
    expect((await chat.sessions()).map(({ code, server, updatedAt }) => [code, server, updatedAt])).toEqual([
      ['b', '4', Date.UTC(2026, 0, 2)],
      ['a', '', Date.UTC(2026, 0, 1)],
    ]);
    expect(asked[0]?.[1]?.headers).toMatchObject({ Authorization: 'Bearer t' });
  });

  it.each([
    [200, { code: 500, message: 'not found' }, 'not found'],
    [401, { code: 401, message: 'no' }, 'no'],
    [502, '<html>', ''],
  ])('turn status %s into an error', async (status, body, sentence) => {
    await expect(http(status, body).chat.create('x', '')).rejects.toMatchObject({ status, sentence });
  });

  it('report the reason of a failed opening', async () => {
    expect(await http(200, { code: 200, data: {} }).chat.check('a')).toBe('fine');
    expect(await http(200, { code: 500, message: 'not found' }).chat.check('a')).toBe('notFound');
    expect(await http(401, { code: 401 }).chat.check('a')).toBe('signedOut');
    expect(await http(500, { code: 500 }).chat.check('a')).toBe('unknown');
    expect(await new HttpChat('t', () => Promise.reject(new Error('cut'))).check('a')).toBe('unknown');
  });

  it('read and revoke allowed tools, in all chats or in one', async () => {
    const { asked, chat } = http(200, {
      code: 200,
      data: [
        { toolName: 'bash', source: 'builtin', sessionCode: null },
        { toolName: 'write_file', source: 'mcp:a&b', sessionCode: 's&1' },
        {},
      ],
    });
    const tools = await chat.allowedTools();
    expect(tools).toEqual([
      { tool: 'bash', source: 'builtin', session: '' },
      { tool: 'write_file', source: 'mcp:a&b', session: 's&1' },
    ]);
    for (const tool of tools) await chat.takeBack(tool);
    expect(asked.slice(1).map(([path, init]) => [init?.method, path])).toEqual([
      ['DELETE', '/api/v1/allowed-tools/bash?source=builtin'],
      ['DELETE', '/api/v1/allowed-tools/write_file?source=mcp%3Aa%26b&sessionCode=s%261'],
    ]);
  });

  it('have no choices where the server has no route for them', async () => {
    expect(await http(404, {}).chat.servers()).toEqual([]);
    expect(await http(200, { code: 200, data: [{ agentCode: 'x' }] }).chat.agents()).toEqual([
      { code: 'x', name: 'x', description: '' },
    ]);
    expect(new ServerError(0, '').message).toContain('0');
  });
});
