// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { SseParser } from './sse';

describe('server-sent events', () => {
  const kText = 'id: e:1\ndata: {"a":1}\n\n: still here\n\nevent: gap\ndata: x\ndata: y\n\ndata:z\r\n\r\n';
  const kMessages = [
    { id: 'e:1', event: 'message', data: '{"a":1}' },
    { id: 'e:1', event: 'gap', data: 'x\ny' },
    { id: 'e:1', event: 'message', data: 'z' },
  ];

  it('are read whole', () => {
    expect(new SseParser().push(`${kText}\n`)).toEqual(kMessages);
  });

  it.each([1, 2, 3, 7])('are read in pieces of %i', (size) => {
    const parser = new SseParser();
    const found = [];
    for (let at = 0; at < kText.length; at += size) found.push(...parser.push(kText.slice(at, at + size)));
    found.push(...parser.push('\n'));
    expect(found).toEqual(kMessages);
  });

  it('are given only when finished', () => {
    expect(new SseParser().push('data: half')).toEqual([]);
    expect(new SseParser().push('data: half\n')).toEqual([]);
  });

  it('without data are ignored', () => {
    expect(new SseParser().push('event: end\n\n')).toEqual([]);
  });
});
