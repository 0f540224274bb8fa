// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/limits.md, made of three sources: tests/house/limits_source.txt (sections, prose, rows that have no constant), the settings of
// docs/configuration.md (a row of the source names one: `setting: limits.body_bytes`), and the constants of the sources
// whose comment ends with the row:
//
//   // Limit (HTTP): fields in a head. Reached: 431, closed.
//   std::size_t max_header_fields = 128;
//
// A unit may follow the section: (HTTP, bytes). Run by itself, this file writes the page.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const kPage = 'docs/limits.md';
export const kSource = 'tests/house/limits_source.txt';

const kMark = /^\s*\/\/ Limit \(/;
const kForm = /^Limit \(([^,)]+)(?:, ([a-z]+))?\): (.+?)\.(?: Reached: (.+)\.)?$/;
const kDeclared = /^\s*(?:export )?(?:inline |static )*(?:constexpr |const )*([\w:<>]+ )?(\w+)(?: = ?|\{|$)/;
const kMsOf = { milliseconds: 1, Millis: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000 };
const kUnits = {
  bytes: [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ],
  ms: [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ],
};

// "16,384 bytes" as "16 KiB": the greatest unit of which the value is a multiple; a day only from two on.
export function printed(value, unit) {
  if (unit === 'bits') return `2^${value}`;
  const [size, sign] =
    (kUnits[unit] ?? []).find(
      ([size, name]) => value >= size && value % size === 0 && (name !== 'd' || value > size),
    ) ?? [];
  const plain = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 3 });
  if (sign !== undefined) return `${plain(value / size)} ${sign}`;
  return unit === 'bytes' || unit === 'ms' ? `${plain(value)} ${unit}` : plain(value);
}

// The declaration that begins at a line: its type, name and initialiser.
function declaration(lines, at) {
  const text = lines
    .slice(at, at + 4)
    .join('\n')
    .replace(/\/\/.*$/gm, ' ');
  const [, type = '', name] = kDeclared.exec(text.split('\n')[0]) ?? [];
  const end = text.indexOf(';') < 0 ? text.indexOf('\n') : text.indexOf(';');
  const start = name === undefined ? -1 : text.indexOf(name) + name.length;
  if (start < 0 || end < start) return undefined;
  const value = text.slice(start, end).trim();
  return { type: type.trim(), name, value: value.startsWith('=') ? value.slice(1).trim() : value.slice(1, -1).trim() };
}

// The constant of a name that an initialiser mentions: from the same file, else the only one in the sources.
function constantOf(name, file, sources) {
  const found = (text) => {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => new RegExp(`\\b${name}(?: =|\\{)`).test(line));
    return at < 0 ? undefined : declaration(lines, at);
  };
  const own = found(sources.get(file));
  if (own !== undefined) return { ...own, file };
  const others = [...sources]
    .filter(([, text]) => text.includes(name))
    .map(([other, text]) => ({ ...found(text), file: other }));
  const known = others.filter((other) => other.name === name);
  return known.length === 1 ? known[0] : undefined;
}

// The number of an initialiser, times in milliseconds. Undefined if it is not made of numbers, durations and other constants.
export function evaluated({ type, value, file }, sources) {
  let unknown = false;
  let text = value
    .replace(/(?<=[\da-f])'(?=\d)/g, '')
    .replace(/(?<=\d)_(?=\d)/g, '')
    .replace(/\b(\d+)[uUlL]+\b/g, '$1');
  const timed = /chrono::\w+[({]/.test(text);
  text = text.replace(/(?:std::)?chrono::(\w+)(?=[({])/g, (whole, unit) => `${kMsOf[unit] ?? (unknown = true)}*`);
  text = text
    .replace(/(?:core::)?Millis(?=[({])|std::(?:size_t|u?int\d+_t)(?=[({])/g, '')
    .replace(/\{/g, '(')
    .replace(/\}/g, ')');
  text = text.replace(/(?:\w+::)*\b(k[A-Z]\w*)/g, (whole, name) => {
    const other = constantOf(name, file, sources);
    const number = other === undefined ? undefined : evaluated(other, sources);
    if (number === undefined) unknown = true;
    return String(number);
  });
  if (unknown || !/^[\d\s.()*+/<>-]+$/.test(text)) return undefined;
  // Powers instead of shifts: a shift of JavaScript has 32 bits.
  const number = Function(`return (${text.replace(/<<\s*(\d+)/g, '* 2 ** $1')})`)();
  const unit = type.split('::').at(-1);
  return timed ? number : number * (kMsOf[unit] ?? 1);
}

function unitOf({ type, name, value }) {
  if (/bytes/i.test(name) && !/second/i.test(name)) return 'bytes';
  if (/chrono::|Millis/.test(type + value) || /Ms$|_ms$/.test(name)) return 'ms';
  return /Seconds$|_s$/.test(name) ? 's' : 'count';
}

// The row of the marked comment that begins at a line; a sentence if it cannot be read.
function rowAt(lines, at, file, sources) {
  let end = at;
  while (/^\s*\/\//.test(lines[end] ?? '')) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim().replace(/^\/\/ ?/, ''))
    .join(' ');
  const form = kForm.exec(text);
  if (form === null) return 'not "Limit (SECTION): WHAT. Reached: ANSWER."';
  const declared = declaration(lines, end);
  const number = declared === undefined ? undefined : evaluated({ ...declared, file }, sources);
  if (number === undefined || Number.isNaN(number)) return 'no constant below the limit whose value can be read';
  const [, section, unit = unitOf(declared), what, reached = ''] = form;
  const value = unit === 's' ? printed(number * 1_000, 'ms') : printed(number, unit);
  return { section, row: `| ${what} | ${value} | \`${declared.name}\`, \`${file}\` | ${reached} |` };
}

// The rows of the constants by section; each mark that cannot be read is a fault.
function constantRows(sources, faults) {
  const rows = new Map();
  for (const [file, text] of sources) {
    const lines = text.split('\n');
    for (const at of lines.keys()) {
      if (!kMark.test(lines[at])) continue;
      const row = rowAt(lines, at, file, sources);
      if (typeof row === 'string') faults.push({ file, line: at + 1, text: row });
      else rows.set(row.section, [...(rows.get(row.section) ?? []), row.row]);
    }
  }
  return rows;
}

function settingRow(line, defaults, faults, at) {
  const [, what, key, reached] = /^\| (.+?) \| setting: (\S+) \| (.*?) ?\|$/.exec(line) ?? [];
  if (key === undefined) return line;
  const given = defaults.get(key);
  if (given === undefined)
    faults.push({ file: kSource, line: at + 1, text: `no setting ${key} in docs/configuration.md` });
  const value = String(given).replace(/^(\d+)([A-Za-z]*)$/, (whole, number, unit) =>
    `${Number(number).toLocaleString('en-US')} ${unit === 'm' ? 'min' : unit}`.trim(),
  );
  return `| ${what} | ${value} | [\`${key}\`](configuration.md) | ${reached} |`;
}

// The page, and the faults of its sources.
export function limits() {
  const faults = [];
  const listed = execFileSync('git', ['ls-files', 'src', 'programs', 'web/src'], { encoding: 'utf8' }).split('\n');
  const names = listed.filter((file) => /\.(h|cpp|ts|vue)$/.test(file) && !/_test\.cpp$|\.test\.ts$/.test(file));
  const sources = new Map(names.map((file) => [file, readFileSync(file, 'utf8')]));
  const rows = constantRows(sources, faults);
  const settings = readFileSync('docs/configuration.md', 'utf8').matchAll(
    /^\| `([\w.]+)` \|[^|]*\|[^|]*\| `([^`]*)` \|/gm,
  );
  const defaults = new Map([...settings].map(([, key, value]) => [key, value]));
  const sections = readFileSync(kSource, 'utf8')
    .split(/^(?=#)/m)
    .map((section) => {
      const title = /^#+ (.*)$/m.exec(section)[1].replaceAll('`', '');
      const lines = section
        .trim()
        .split('\n')
        .map((line, at) => settingRow(line, defaults, faults, at));
      const own = rows.get(title) ?? [];
      rows.delete(title);
      const table = [...lines.filter((line) => line.startsWith('|')), ...own];
      if (table.length === 0) return lines.join('\n');
      const head = ['| limit | value | where | reached |', '| --- | --- | --- | --- |'];
      return [...lines.filter((line) => !line.startsWith('|')), '', ...head, ...table]
        .join('\n')
        .replace(/\n{3,}/g, '\n\n');
    });
  for (const section of rows.keys())
    faults.push({ file: kSource, line: 1, text: `no section ${section}, which constants name` });
  return { page: `${sections.join('\n\n')}\n`, faults };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { page, faults } = limits();
  for (const { file, line, text } of faults) console.log(`${file}:${line}: ${text}`);
  if (faults.length === 0) writeFileSync(kPage, page);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
