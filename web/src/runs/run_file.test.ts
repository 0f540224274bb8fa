// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fixtureText, foldedFixture, folded, kFixtures } from './fixtures/fixture';
import { readRunFile } from './run_file';

const read = (text: string) => readRunFile(new Blob([text]));

describe('a recorded run', () => {
  it.each(kFixtures)('%s is read whole without findings', async (name) => {
    const { findings, runs } = await read(fixtureText(name));
    expect(findings).toEqual([]);
    expect(folded(runs[0]?.frames ?? []).items).toEqual(foldedFixture(name).items);
  });

  it('names broken lines, invalid frames and unknown types, and shows the rest', async () => {
    const lines = fixtureText('react').trimEnd().split('\n');
    const { findings, runs } = await read(
      ['{"type":"node_en', '{"hello":1,"you":2}', ...lines, '{"type":"future"}', '{"type":"future"}'].join('\n'),
    );
    expect(findings).toContainEqual({ is: 'unreadable', line: 1 });
    expect(findings).toContainEqual({ is: 'noFrame', line: 2 });
    expect(findings).toContainEqual({ is: 'unknown', name: 'future', count: 2, line: lines.length + 3 });
    expect(runs[0]?.frames).toHaveLength(lines.length + 2);
  });

  it('mixes frames and the single-key form, other line ends and a mark', async () => {
    const frames = fixtureText('react').trimEnd().split('\n');
    const bare = fixtureText('react_export').trimEnd().split('\n');
    const mixed = frames.map((line, at) => (at % 2 === 0 ? line : (bare[at] ?? '')));
    const { findings, runs } = await read(`\uFEFF${mixed.join('\r\n')}\r\n\r\n`);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.frames).toHaveLength(frames.length);
    expect(findings.every(({ is }) => is === 'gap' || is === 'noNumbers')).toBe(true);
    expect(folded(runs[0]?.frames ?? []).reply).toBe(foldedFixture('react').reply);
  });

  it('may have objects printed over several lines', async () => {
    const pretty = fixtureText('react')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.stringify(JSON.parse(line), null, 2))
      .join('\n');
    const { findings, runs } = await read(pretty);
    expect(findings).toEqual([]);
    expect(runs[0]?.frames).toHaveLength(fixtureText('react').trimEnd().split('\n').length);
  });

  it('may be empty or no text', async () => {
    expect(await read('')).toEqual({ runs: [], findings: [] });
    const bytes = await readRunFile(new Blob([new Uint8Array([0xff, 0xfe, 0, 1, 10, 200, 10])]));
    expect(bytes.runs).toEqual([]);
    expect(bytes.findings.length).toBeGreaterThan(0);
  });
});
