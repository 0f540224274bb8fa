// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { changedPieces, changesOf } from './line_changes';
import { type PatchFile, readPatch, splitPatches } from './patch';
import { kMaxPatchChars } from './patch_limits';

const kEdit = `diff --git a/src/shop.ts b/src/shop.ts
index 1111111..2222222 100644
--- a/src/shop.ts
+++ b/src/shop.ts
@@ -1,4 +1,5 @@ export function price() {
 const a = 1;
-const b = 2;
+const b = 3;
+const c = 4;
 const d = 5;
 const e = 6;
\\ No newline at end of file
`;

const kGit = `${kEdit}diff --git a/old name.txt b/new name.txt
similarity index 90%
rename from old name.txt
rename to new name.txt
--- a/old name.txt
+++ b/new name.txt
@@ -1 +1 @@
-x
+y
diff --git a/made.txt b/made.txt
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/made.txt
@@ -0,0 +1,2 @@
+one
+two
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/pic.png b/pic.png
index 4444444..5555555 100644
Binary files a/pic.png and b/pic.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/caf\\303\\251.txt" "b/caf\\303\\251.txt"
--- "a/caf\\303\\251.txt"
+++ "b/caf\\303\\251.txt"
@@ -1 +1 @@
--- removed
+++ added
`;

const filesOf = (text: string): PatchFile[] => (readPatch(text) ?? []).flatMap((part) => part.file ?? []);

describe('readPatch', () => {
  it('numbers the lines of a file and counts them', () => {
    const [file] = filesOf(kEdit);
    expect(file).toMatchObject({ to: 'src/shop.ts', change: 'changed', added: 2, removed: 1, binary: false });
    expect(file?.hunks[0]?.section).toBe('export function price() {');
    expect(file?.hunks[0]?.lines.map((line) => [line.kind, line.before, line.after, line.text])).toEqual([
      ['same', 1, 1, 'const a = 1;'],
      ['removed', 2, 0, 'const b = 2;'],
      ['added', 0, 2, 'const b = 3;'],
      ['added', 0, 3, 'const c = 4;'],
      ['same', 3, 4, 'const d = 5;'],
      ['same', 4, 5, 'const e = 6;'],
      ['note', 0, 0, 'No newline at end of file'],
    ]);
  });

  it('reads renamed, new, deleted, binary and mode-only files', () => {
    expect(
      filesOf(kGit)
        .map(({ added, binary, change, from, modes, removed, to }) => ({
          added,
          binary,
          change,
          from,
          modes,
          removed,
          to,
        }))
        .slice(1),
    ).toEqual([
      { added: 1, binary: false, change: 'renamed', from: 'old name.txt', modes: '', removed: 1, to: 'new name.txt' },
      { added: 2, binary: false, change: 'created', from: 'made.txt', modes: '', removed: 0, to: 'made.txt' },
      { added: 0, binary: false, change: 'deleted', from: 'gone.txt', modes: '', removed: 1, to: 'gone.txt' },
      { added: 0, binary: true, change: 'changed', from: 'pic.png', modes: '', removed: 0, to: 'pic.png' },
      {
        added: 0,
        binary: false,
        change: 'changed',
        from: 'run.sh',
        modes: '100644 → 100755',
        removed: 0,
        to: 'run.sh',
      },
      { added: 1, binary: false, change: 'changed', from: 'café.txt', modes: '', removed: 1, to: 'café.txt' },
    ]);
  });

  it('reads lines that look like the head of a file', () => {
    expect(
      filesOf(kGit)
        .at(-1)
        ?.hunks[0]?.lines.map((line) => line.text),
    ).toEqual(['-- removed', '++ added']);
  });

  it('skips the bytes of a binary patch', () => {
    const text =
      'diff --git a/a.bin b/a.bin\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 3\nKcmZQzU|?imU|?hb0000\n\nliteral 0\nHcmV?d00001\n\n' +
      kEdit;
    expect(filesOf(text).map((file) => [file.to, file.binary])).toEqual([
      ['a.bin', true],
      ['src/shop.ts', false],
    ]);
  });

  it('reads a plain diff with times, and text around the files', () => {
    const parts = readPatch(
      'From: me\nSubject: fix\n---\n a | 2 +-\n\n--- a.c\t2026-01-01 00:00:00\n+++ a.c\t2026-01-02 00:00:00\n@@ -3 +3 @@\n-x\n+y\n-- \n2.39.5\n',
    );
    expect(parts?.map((part) => part.text ?? part.file.to)).toEqual([
      'From: me\nSubject: fix\n---\n a | 2 +-',
      'a.c',
      '--\u0020\n2.39.5',
    ]);
  });

  it('reads hunks whose counts are wrong, and empty lines without their space', () => {
    const [file] = filesOf('--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n\n-b\n+c\n+d\n');
    expect(file).toMatchObject({ added: 2, removed: 1 });
    expect(file?.hunks[0]?.lines).toHaveLength(5);
  });

  it('reads a fence without file names or hunks', () => {
    expect(filesOf('@@ -1 +1 @@\n-a\n+b\n')[0]).toMatchObject({ to: '', added: 1, removed: 1 });
    expect(filesOf(' same\n-a\n+b\n')[0]?.hunks[0]?.lines.map((line) => line.kind)).toEqual([
      'same',
      'removed',
      'added',
    ]);
  });

  it.each(['', 'only words\n', 'x'.repeat(kMaxPatchChars + 1)])('is not for other text', (text) => {
    expect(readPatch(text)).toBeNull();
  });

  it('removes the line ends of Windows, unless they are mixed', () => {
    expect(filesOf(kEdit.replaceAll('\n', '\r\n'))[0]?.hunks[0]?.lines[0]?.text).toBe('const a = 1;');
    expect(filesOf(kEdit.replace('= 3;\n', '= 3;\r\n'))[0]?.hunks[0]?.lines[2]?.text).toBe('const b = 3;\r');
  });

  it('reads names that are no markup and no prototype', () => {
    const name = '<img src=x onerror=alert(1)>';
    expect(filesOf(`--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`)[0]?.to).toBe(name);
    expect(filesOf('diff --git a/__proto__ b/__proto__\nold mode 1\nnew mode 2\n')[0]?.to).toBe('__proto__');
  });
});

describe('splitPatches', () => {
  it('finds a patch without a fence between words, and keeps its text', () => {
    const parts = splitPatches(`Shall I apply this?\n\n${kGit}\nIt passes the tests.\n- one\n- two`);
    expect(parts.map((part) => part.words ?? part.parts.length)).toEqual([
      'Shall I apply this?\n',
      7,
      '\nIt passes the tests.\n- one\n- two',
    ]);
    expect(parts[1]?.patch).toBe(kGit);
  });

  it.each([
    ['a list', 'Steps:\n\n- one\n+ two\n'],
    ['a rule and a list', '--- a\n+++ b\nwords'],
    ['a fence', `\`\`\`\n${kEdit}\`\`\``],
    ['a cut patch', kEdit.split('\n').slice(0, 6).join('\n')],
    ['a head alone', 'diff --git a/x b/x'],
  ])('leaves %s to Markdown', (_, text) => {
    expect(splitPatches(text)).toEqual([{ words: text }]);
  });

  it('accepts a patch whose last empty line was removed', () => {
    const text = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n c';
    expect(splitPatches(text)).toHaveLength(1);
    expect(splitPatches(text)[0]?.patch).toBe(`${text}\n`);
  });
});

describe('changes in a line', () => {
  it('are the words that differ', () => {
    expect(changesOf('const b = 2;', 'const b = 31;')).toEqual([
      [
        { text: 'const b = ', changed: false },
        { text: '2', changed: true },
        { text: ';', changed: false },
      ],
      [
        { text: 'const b = ', changed: false },
        { text: '31', changed: true },
        { text: ';', changed: false },
      ],
    ]);
  });

  it('are not marked in lines that have little in common, or are long', () => {
    expect(changesOf('alpha beta gamma', 'x')).toBeNull();
    expect(changesOf('a '.repeat(1000), 'a '.repeat(1000))).toBeNull();
  });

  it('pair the lines of a block in order', () => {
    const [file] = filesOf(kEdit);
    expect([...changedPieces(file?.hunks[0]?.lines ?? []).keys()]).toEqual([1, 2]);
  });
});
