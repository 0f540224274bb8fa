// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

function tokensOf(theme: 'light' | 'dark'): Map<string, string> {
  const block = css.slice(css.indexOf(`[data-theme='${theme}'] {`));
  const body = block.slice(0, block.indexOf('}'));
  return new Map([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((it) => [it[1] ?? '', it[2] ?? '']));
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const kGrounds = ['ground', 'surface', 'sunken', 'hover'];

describe.each(['light', 'dark'] as const)('colours, %s', (theme) => {
  const tokens = tokensOf(theme);
  const colour = (name: string) => tokens.get(name) ?? 'missing';

  it.each(kGrounds)('body text on %s has contrast AAA', (ground) => {
    expect(contrast(colour('ink'), colour(ground))).toBeGreaterThanOrEqual(7);
  });

  it.each(kGrounds.flatMap((ground) => ['ink-2', 'ink-3'].map((ink) => [ink, ground])))(
    '%s on %s has contrast AA',
    (ink, ground) => {
      expect(contrast(colour(ink), colour(ground))).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(['asked', 'done', 'failed', 'running'])('%s on cards has contrast AA', (name) => {
    expect(contrast(colour(name), colour('surface'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour(name), colour('ground'))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['keyword', 'string', 'number', 'title', 'type', 'name'])(
    'code-%s in a block of code has contrast AA',
    (name) => {
      expect(contrast(colour(`code-${name}`), colour('sunken'))).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(['done', 'failed'])('%s in a block of code has contrast AA', (name) => {
    expect(contrast(colour(name), colour('sunken'))).toBeGreaterThanOrEqual(4.5);
  });

  it("the agent's marks are readable on cards, ground and own tint", () => {
    for (const ground of ['surface', 'ground', 'agent-soft']) {
      expect(contrast(colour('agent'), colour(ground))).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(colour('ink'), colour('agent-soft'))).toBeGreaterThanOrEqual(7);
  });

  it('counts and main buttons have contrast AA', () => {
    expect(contrast(colour('on-asked'), colour('asked-mark'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour('inverse'), colour('ink'))).toBeGreaterThanOrEqual(4.5);
  });

  it('the edge of a field contrasts with its card', () => {
    expect(contrast(colour('line-strong'), colour('surface'))).toBeGreaterThanOrEqual(3);
  });
});
