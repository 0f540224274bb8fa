// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { plainLine, readMarkdown, renderMarkdown, sanitise, withoutMarks } from './markdown';

function dom(html: string): HTMLElement {
  const root = document.createElement('div');
  root.innerHTML = html;
  return root;
}

function harmless(root: HTMLElement): void {
  expect(root.querySelector('script, iframe, object, embed, form, style, link, meta, svg, math, base')).toBeNull();
  for (const element of root.querySelectorAll('*')) {
    for (const attribute of element.attributes) {
      expect(attribute.name).not.toMatch(/^on|^style$|^srcset$|^formaction$|^id$|^name$/i);
      if (/^(href|src)$/.test(attribute.name)) {
        expect(attribute.value.trim()).toMatch(/^(https?:|mailto:|data:image\/(png|jpeg|gif|webp);)/i);
      }
    }
  }
}

const kAttacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '<div style="background:url(//evil.example/x)">x</div>',
  '<img src="https://evil.example/pixel.png">',
  '<img srcset="https://evil.example/pixel.png 1x">',
  '<form action="https://evil.example"><input name=a></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<a id="app" name="app">x</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '[x](javascript:alert(1))',
  '[x](  javascript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/pixel.png)',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '![a" onerror="alert(1)](data:image/png;base64,AAAA)',
];

describe('renderMarkdown', () => {
  it.each(kAttacks)('shows %j without running or fetching anything', (attack) => {
    harmless(dom(renderMarkdown(attack)));
  });

  it.each(kAttacks)('sanitises %j even if it came as HTML', (attack) => {
    harmless(dom(sanitise(attack)));
  });

  it.each([
    '1. build <!-- and delete all -->',
    '<details>and delete all</details>',
    '<div hidden>and delete all</div>',
  ])('shows all of %j as text', (plan) => {
    expect(dom(renderMarkdown(plan)).textContent?.trim()).toBe(plan.replace(/^1\. /, ''));
  });

  it('turns a remote image into a link with its target', () => {
    const link = dom(renderMarkdown('![plan](https://pics.example/a.png)')).querySelector('a');
    expect(link?.textContent).toBe('plan (pics.example)');
    expect(link?.getAttribute('href')).toBe('https://pics.example/a.png');
  });

  it('shows an embedded image', () => {
    const image = dom(renderMarkdown('![dot](data:image/png;base64,AAAA)')).querySelector('img');
    expect(image?.getAttribute('alt')).toBe('dot');
  });

  it('opens external links without telling them anything', () => {
    const link = dom(renderMarkdown('see https://example.org')).querySelector('a');
    expect(link?.getAttribute('target')).toBe('_blank');
    expect(link?.getAttribute('rel')).toContain('noopener');
    expect(link?.getAttribute('rel')).toContain('noreferrer');
  });

  it('renders lists, code, tables and line breaks', () => {
    const root = dom(renderMarkdown('a\nb\n\n- one\n- two\n\n```\nx < y\n```\n\n|h|\n|-|\n|c|'));
    expect(root.querySelectorAll('li')).toHaveLength(2);
    expect(root.querySelector('pre code')?.textContent).toBe('x < y\n');
    expect(root.querySelector('td')?.textContent).toBe('c');
    expect(root.querySelector('br')).not.toBeNull();
  });
});

describe('readMarkdown', () => {
  it('pairs every block of code with its pre, in order', () => {
    const { codes, fragment } = readMarkdown(
      '```ts\na\n```\n\n- x\n\n  ```py\n  b\n  ```\n\n> ```\n> <pre>c</pre>\n> ```\n\n    d\n',
    );
    expect(codes.map(({ info, text }) => [info, text])).toEqual([
      ['ts', 'a\n'],
      ['py', 'b\n'],
      ['', '<pre>c</pre>\n'],
      ['', 'd\n'],
    ]);
    expect([...fragment.querySelectorAll('pre')].map((pre) => pre.textContent)).toEqual(codes.map((code) => code.text));
  });

  it.each(kAttacks)('leaves nothing of %j that runs', (attack) => {
    const root = document.createElement('div');
    root.append(readMarkdown(attack).fragment);
    harmless(root);
  });
});

describe('plainLine', () => {
  it('keeps words and drops marks', () => {
    expect(plainLine('# Head\n\nuse `a_b_c` **now**, [here](https://x.example)')).toBe('Head use a_b_c now, here');
  });

  it('cuts a long text', () => {
    expect(plainLine('x'.repeat(500), 10)).toBe(`${'x'.repeat(10)}…`);
  });
});

describe('withoutMarks', () => {
  it('puts a truncated text into one line', () => {
    expect(withoutMarks('`notes.txt` has 3 lines:\n\n```text\nOne.\nTwo')).toBe('notes.txt has 3 lines: One. Two');
    expect(withoutMarks('# Shop\n**How** it works')).toBe('Shop How it works');
  });
});

describe('hidden characters in Markdown', () => {
  const marks = (root: HTMLElement) =>
    [...root.querySelectorAll('mark.hidden-character')].map((mark) => mark.textContent);

  it.each([
    ['words', 'run \u202eknil\u202c now', ['U+202E', 'U+202C']],
    ['code', '`rm \u2066-rf`', ['U+2066']],
    ['a block of code', '```\nls \u200b\x1b[2J\n```', ['U+200B', 'U+001B']],
    ['an entity', 'a&#x202e;b&#8203;c', ['U+202E', 'U+200B']],
    ['the words of a link', '[ok\u2067go](https://a.example)', ['U+2067']],
    ['an address that hides them', 'https://a.example/%E2%80%AEx', ['U+202E']],
    ['a table', '|h|\n|-|\n|a\u{e0041}b|', ['U+E0041']],
  ])('are marked in %s', (_, text, expected) => {
    const root = dom(renderMarkdown(text));
    expect(marks(root)).toEqual(expected);
    for (const one of expected)
      expect(root.textContent).not.toContain(String.fromCodePoint(parseInt(one.slice(2), 16)));
  });

  it('are written out in titles and picture names', () => {
    const root = dom(renderMarkdown('[x](https://a.example "t\u202e") ![p\u200b](data:image/png;base64,AAAA)'));
    expect(root.querySelector('a')?.getAttribute('title')).toBe('t<U+202E>');
    expect(root.querySelector('img')?.getAttribute('alt')).toBe('p<U+200B>');
  });

  it('leave Chinese, Arabic and emoji unchanged', () => {
    const text = '请部署 مرحبا 👩‍💻 ❤️ 1️⃣';
    const root = dom(renderMarkdown(text));
    expect(root.textContent?.trim()).toBe(text);
    expect(marks(root)).toEqual([]);
  });

  it('cannot be faked by a mark in the text', () => {
    const mark = '<mark class="hidden-character">';
    expect(readMarkdown(`\`${mark}\` ${mark} [x](https://a.example '${mark}')`).hidden).toBe(0);
    expect(readMarkdown('a\u202eb\n\n```\nc\u200b\n```').hidden).toBe(2);
  });
});

describe('a link', () => {
  it.each([
    ['[https://good.example](https://evil.example/x)', ' (evil.example)'],
    ['[click](https://evil.example)', ' (evil.example)'],
    ['<https://good.example@evil.example/>', ' (evil.example)'],
    ['[write](mailto:a@b.example)', ' (a@b.example)'],
  ])('with other words than its target shows the target: %s', (text, place) => {
    expect(dom(renderMarkdown(text)).querySelector('.link-target')?.textContent).toBe(place);
  });

  it.each([
    'https://good.example/a?b=c',
    '<https://good.example/%C3%A9>',
    '[good.example](https://good.example/)',
    'a@b.example',
  ])('with its target as words stays unchanged: %s', (text) => {
    const root = dom(renderMarkdown(text));
    expect(root.querySelector('a')).not.toBeNull();
    expect(root.querySelector('.link-target')).toBeNull();
  });
});
