// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tidy test: the project's rules that no compiler checks. Prints each breach as FILE:LINE: text; exit
// status 1 if there is one. docs/architecture.md gives the reasons.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { kPage, limits } from './limits.mjs';
import { kPicture, kWings, picture } from './wings.mjs';

const kMaxLines = 600;

// The rooms that a room may include, besides itself. No cycles; dialects do not include each other.
const kNet = ['base/net/server', 'base/net/websocket', 'base/net/http', 'base/net/loop'];
const kRuns = ['runtime/run', 'runtime/agent', 'runtime/tool/file', 'runtime/tool', 'runtime/model', 'runtime/stream'];
const kArrows = {
  'base/core': [],
  'base/shell': ['base/core'],
  'base/sql': ['base/core'],
  'model/placement': ['base/sql', 'base/core'],
  'model/event': ['model/placement', 'base/sql', 'base/core'],
  'model/session': ['model/event', 'model/placement', 'base/core'],
  'identity/auth': ['base/sql', 'base/core'],
  'identity/accounts': ['identity/auth', 'base/sql', 'base/core'],
  'base/certificate': ['base/core'],
  'base/link': ['base/certificate', ...kNet, 'base/core'],
  'base/net/loop': ['base/core'],
  'base/net/http': ['base/net/loop', 'base/core'],
  'base/net/websocket': ['base/net/http', 'base/net/loop', 'base/core'],
  'base/net/server': ['base/net/websocket', 'base/net/http', 'base/net/loop', 'base/core'],
  'identity/access': ['identity/auth', 'model/session', ...kNet, 'base/core'],
  'services/study': ['model/session', 'model/event', 'base/sql', 'base/core'],
  'services/search': ['model/session', 'model/event', 'base/sql', 'base/core'],
  'services/booking': ['base/sql', 'base/core'],
  'base/http_client': ['base/core'],
  'identity/oauth': ['identity/access', 'identity/auth', 'base/sql', 'base/http_client', ...kNet, 'base/core'],
  'services/notify': ['model/session', 'model/event', 'base/http_client', 'base/sql', 'base/core'],
  'runtime/stream': ['model/event', 'base/core'], // event: a stored event becomes a frame
  'runtime/graph': ['runtime/stream', 'base/core'],
  'runtime/model': ['runtime/stream', 'base/http_client', 'base/core'],
  'runtime/tool': ['runtime/model', 'runtime/stream', 'model/session', 'model/event', 'base/core'],
  'runtime/tool/file': ['runtime/tool', 'base/core'],
  'runtime/tool/memory': ['runtime/tool', 'base/sql', 'base/core'],
  'runtime/tool/process': ['runtime/tool/file', 'runtime/tool', 'base/core'],
  'runtime/tool/web': ['runtime/tool', 'base/http_client', 'base/core'],
  'runtime/tool/mcp': ['runtime/tool/process', 'runtime/tool', 'runtime/model', 'base/http_client', 'base/core'],
  'runtime/agent': [
    'runtime/tool/file',
    'runtime/tool',
    'runtime/model',
    'runtime/graph',
    'runtime/stream',
    'base/core',
  ],
  'runtime/run': [
    'base/shell',
    'runtime/agent',
    'runtime/tool/file',
    'runtime/tool',
    'runtime/model',
    'runtime/graph',
    'runtime/stream',
    'model/session',
    'model/event',
    'base/sql',
    'base/http_client',
    'base/core',
  ],
  'services/tailnet': ['runtime/tool/process', 'base/certificate', 'base/core'],
  'runtime/demo_model': ['runtime/model', 'base/core'],
  'runtime/comfyui': ['base/http_client', ...kNet, 'base/core'],
  'runtime/comfyui/workflow': ['base/core'],
  'runtime/comfyui/server': ['runtime/comfyui', 'base/http_client', 'base/sql', ...kNet, 'base/core'],
  'runtime/comfyui/tool': [
    'runtime/comfyui/server',
    'runtime/comfyui',
    'runtime/comfyui/workflow',
    'base/http_client',
    'runtime/tool',
    'runtime/model',
    'runtime/stream',
    'base/core',
  ],
  'services/front_end': ['runtime/comfyui/workflow', 'base/sql', 'base/core'],
  'dialects/assistant': ['identity/access', 'model/session', 'model/event', 'identity/auth', ...kNet, 'base/core'],
  'dialects/external_agent': [
    'identity/access',
    'services/study',
    'model/session',
    'model/event',
    'identity/auth',
    ...kNet,
    'base/core',
  ],
  'dialects/loom': [
    'identity/access',
    ...kRuns,
    'model/session',
    'model/event',
    'base/sql',
    'identity/auth',
    ...kNet,
    'base/core',
  ],
  'dialects/chat': [
    'identity/access',
    'identity/accounts',
    'services/front_end',
    'runtime/comfyui/tool',
    'runtime/comfyui/server',
    'runtime/comfyui',
    ...kRuns,
    'model/session',
    'model/event',
    'base/sql',
    'identity/auth',
    ...kNet,
    'base/core',
  ],
  'dialects/mcp_http': ['agents/mcp', 'identity/access', 'identity/auth', ...kNet, 'base/core'],
  'dialects/api': [
    'identity/access',
    'base/certificate',
    'services/notify',
    ...kRuns,
    'services/study',
    'services/search',
    'model/session',
    'model/event',
    'identity/auth',
    ...kNet,
    'base/core',
  ],
  'dialects/api/booking': ['identity/access', 'services/booking', 'identity/auth', ...kNet, 'base/core'],
  'agents/mcp': ['base/http_client', 'base/core'],
  'agents/hook': ['base/shell', 'agents/mcp', 'base/http_client', 'base/core'],
  'agents/setup': ['base/shell', 'agents/hook', 'agents/mcp', 'base/http_client', 'base/core'],
  'app/server': ['*'],
  'app/cli': ['*'],
};
// The rooms outside of src/, which src/ does not know. tests/ may include everything.
const kOutside = {
  'programs/agent_client': [...kNet, 'base/core'],
  'programs/typing': ['base/core'],
  'programs/desktop': ['agents/mcp', 'base/http_client', 'base/core'], // mcp: finds the running server
  'programs/desktop/window': ['programs/desktop', 'agents/mcp', 'base/http_client', 'base/core'],
  'tools/conformance': [...kNet, 'base/core'],
};
// Rooms that no other room may include, except those in the list.
const kTops = new Map([
  ['app/cli', []],
  ['app/server', ['app/cli']],
]);

// Rooms whose code runs on event loops, which serve many connections each: no code there may wait for a
// disk, except the files named in kOffTheLoop. At run time core::assert_may_block() checks the same for
// every call of SQLite.
const kLoopRooms = /^src\/(base\/net|model\/session|identity\/access|dialects)\//;
const kOffTheLoop = new Map([
  ['src/dialects/loom/workspace_store.h', 'WorkspaceStore has its own thread'],
  ['src/dialects/loom/workspace_store.cpp', 'WorkspaceStore has its own thread'],
  ['src/dialects/chat/chat_session_store.h', 'ChatSessionStore has its own thread'],
  ['src/dialects/chat/chat_session_store.cpp', 'ChatSessionStore has its own thread'],
  ['src/base/net/loop/tls.cpp', 'certificates are read by the thread that starts the server'],
]);
const kBlocking =
  /std::filesystem|\bfs::|std::[io]?fstream|\bf(?:re)?open\(|\bf(?:data)?sync\(|"base\/sql\/(?:data_dir|database|migration|statement|transaction|checkpointer)\.h"|"model\/event\/(?:session_reader|offline_store)\.h"|<sqlite3\.h>|\btokens(?:\(\))?\.(?:create|list|revoke|poll)\(|\bsleep_for\(|\bDatabase::open\(/;

// Features of SQLite alone are allowed only in src/base/sql, so that another engine can replace it. Schemas
// belong to one engine; parameters of statements are numbered.
const kOneEngine = /\bPRAGMA\b|<sqlite3\.h>|\bsqlite3_\w+\(/;
// The statements of stores are those that PostgreSQL knows as well. Steps of a migration are data.
const kOneDialect =
  /\bINSERT OR (?:REPLACE|IGNORE)\b|\bREPLACE INTO\b|\biif\(|\bifnull\(|\bBEGIN IMMEDIATE\b|\blast_insert_rowid\b|\bLIMIT -1\b|\bGLOB '|\bfts5\b|\bbm25\(|\bunixepoch\(|\bjson_extract\(|(?<!WITHOUT |ORDER BY )\browid\b/i;
// Decision 12: a file reads JSON by simdjson or edits it by Boost.JSON.
const kReadsJson = /^#include <simdjson\.h>/m;
const kEditsJson = /^#include <boost\/json\//m;
const kBothJson = ['src/base/core/json_member.h', 'bench/json_bench.cpp'];
const kUnnumbered = /"[^"]*\b(?:SELECT|INSERT|UPDATE|DELETE|VALUES|WHERE|SET|AND)\b[^"]*\?(?![0-9])[^"]*"/;

const kBannedNames = /(^|[_./-])(utils?|helpers?|managers?|common|misc)([_./-]|$)/i;
const kUnfinished = /\b(TODO|FIXME|XXX|HACK)\b/;
const kSwitchedOff = /\bGTEST_SKIP\b|\bDISABLED_\w|\b(?:it|test|describe)\.(?:skip|only|todo)\(|NOLINT\(\*\)/;
// A rename is durable only after a sync of the folder: base/core/durable_file.h.
const kBareRename = /(?:std::|[^\w:>.]::)rename(?:at2?)?\(/;
const kRenames = [
  'src/base/core/durable_file.cpp',
  'src/runtime/tool/file/file_changes.cpp',
  'src/runtime/tool/file/folder_tools.cpp',
];
const kMachinePaths = /\/(?:work|farm)\/|\/tmp\/bash_jobs|\/home\/[a-z]+\//;

const breaches = [];
function breach(file, line, what) {
  breaches.push(`${file}:${line}: ${what}`);
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(name));
const texts = new Map();
function text(file) {
  if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8'));
  return texts.get(file);
}

const isCpp = (file) => /\.(cpp|h)$/.test(file);
const isSource = (file) =>
  /\.(cpp|h|ts|vue|mjs|proto|cmake|css|sass|scss)$/.test(file) || /(^|\/)CMakeLists\.txt$/.test(file);
const isScript = (file) => text(file).startsWith('#!');

const kRooms = { ...kArrows, ...kOutside };
const isTest = (file) => /_(test|fuzz)\.cpp$|^tests\//.test(file);

// The room of a file: the nearest folder above it that is in the tables.
function roomOf(file) {
  const folders = path.dirname(file.replace(/^src\//, '')).split('/');
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const room = folders.slice(0, depth).join('/');
    if (kRooms[room] !== undefined) return room;
  }
  return file.startsWith('src/') ? folders.join('/') : null;
}

// The file that `#include "NAME"` means: below src/, or from the root of the project.
const included = (name) => (existsSync(`src/${name}`) ? `src/${name}` : name);

function checkLicence(file) {
  if (!isSource(file) && !isScript(file)) return;
  const head = text(file).split('\n').slice(0, 4).join('\n');
  if (!head.includes('SPDX-License-Identifier: Apache-2.0')) breach(file, 1, 'no licence line');
}

function checkLength(file) {
  if (!/\.(cpp|h|ts|vue|mjs)$/.test(file)) return;
  const lines = text(file).split('\n').length - 1;
  if (lines > kMaxLines) breach(file, lines, `longer than ${kMaxLines} lines: two ideas in one room`);
}

function checkName(file) {
  if (/^(src|programs|tools|web\/src|web\/host|tests|bench)\//.test(file) && kBannedNames.test(file)) {
    breach(file, 1, 'a name that says nothing (utils, helpers, manager, common)');
  }
}

function checkLines(file) {
  if (file === 'tests/house/house.mjs' || file === 'LICENSE' || /package-lock\.json$/.test(file)) return;
  text(file)
    .split('\n')
    .forEach((line, index) => {
      if (isSource(file) && kUnfinished.test(line)) breach(file, index + 1, 'an unfinished mark');
      if (kSwitchedOff.test(line)) breach(file, index + 1, 'a test or a check that is switched off');
      if (isCpp(file) && /^src\//.test(file) && !isTest(file) && !kRenames.includes(file) && kBareRename.test(line)) {
        breach(file, index + 1, 'a rename without its folder (base/core/durable_file.h)');
      }
      if (kMachinePaths.test(line)) breach(file, index + 1, 'a path of somebody’s machine');
    });
}

function checkBlocking(file) {
  if (!isCpp(file) || !kLoopRooms.test(file) || kOffTheLoop.has(file)) return;
  if (isTest(file)) return;
  text(file)
    .split('\n')
    .forEach((line, index) => {
      const found = kBlocking.exec(line.replace(/\/\/.*$/, ''));
      if (found) breach(file, index + 1, `"${found[0]}" may wait for the disk, and this room runs on the loops`);
    });
}

function checkOneEngine(file) {
  if (!isCpp(file) || !/^src\//.test(file) || /^src\/base\/sql\//.test(file)) return;
  if (isTest(file)) return;
  text(file)
    .split('\n')
    .forEach((line, index) => {
      const code = line.replace(/^\s*\/\/.*$/, '');
      const found = kOneEngine.exec(code) ?? kOneDialect.exec(code);
      if (found) breach(file, index + 1, `"${found[0]}" is SQLite's own: it belongs in src/base/sql`);
      if (kUnnumbered.test(code)) breach(file, index + 1, 'a parameter without its number');
    });
}

function checkOneJson(file) {
  if (!kBothJson.includes(file) && kReadsJson.test(text(file)) && kEditsJson.test(text(file))) {
    breach(
      file,
      lineOf(file, text(file).search(kReadsJson)),
      'includes simdjson and Boost.JSON: a file uses one of them (decision 12)',
    );
  }
}

function checkArrows(file) {
  const room = roomOf(file);
  if (!isCpp(file) || room === null || isTest(file)) return;
  const allowed = kRooms[room];
  if (allowed === undefined) {
    breach(file, 1, `the room ${room} is not in the list of rooms`);
    return;
  }
  const wing = file.startsWith('src/') ? kWings[room.split('/')[0]] : null;
  if (wing === undefined) breach(file, 1, `the wing ${room.split('/')[0]} is not in the list of wings`);
  for (const match of text(file).matchAll(/^#include "([^"]+)"/gm)) {
    const target = roomOf(included(match[1]));
    const line = lineOf(file, match.index);
    if (/^(tests|programs|tools)\//.test(match[1]) && file.startsWith('src/'))
      breach(file, line, 'src/ includes itself alone');
    if (target === null || target === room || kRooms[target] === undefined) continue;
    const [own, other] = [room.split('/')[0], target.split('/')[0]];
    if (wing && own !== other && !wing.includes.includes(other))
      breach(file, line, `the wing ${own} may not know ${other}`);
    const tops = kTops.get(target);
    const ok = tops === undefined ? allowed.includes('*') || allowed.includes(target) : tops.includes(room);
    if (!ok) breach(file, line, `${room} may not know ${target}`);
  }
}

// docs/limits.md is what the constants and settings make.
function checkLimits() {
  const { page, faults } = limits();
  for (const { file, line, text } of faults) breach(file, line, text);
  if (readFileSync(kPage, 'utf8') !== page)
    breach(kPage, 1, 'not the limits of the sources: node tests/house/limits.mjs');
}

// Each wing has a README, which says what the wing may include, and the rooms of the table; the picture is of the table.
function checkWings() {
  if (readFileSync(kPicture, 'utf8') !== picture())
    breach(kPicture, 1, 'not the table of wings: node tests/house/wings.mjs');
  for (const [wing, { includes, rooms }] of Object.entries(kWings)) {
    const readme = `src/${wing}/README.md`;
    if (!files.includes(readme)) {
      breach(readme, 1, 'missing');
      continue;
    }
    const line =
      includes.length === 0
        ? 'May include: no other wing.'
        : `May include: ${includes.map((name) => `\`${name}\``).join(', ')}.`;
    if (!text(readme).includes(line)) breach(readme, 1, `has no line "${line}"`);
    for (const room of rooms.split(' ')) {
      if (!text(readme).includes(`| \`${room}\` |`)) breach(readme, 1, `has no row for ${room}`);
      if (!existsSync(`src/${wing}/${room}`)) breach(readme, 1, `src/${wing}/${room} does not exist`);
    }
  }
}

// src/ holds what the server is made of: a header there has a user that is no test.
function checkServerAlone() {
  const users = new Map();
  for (const file of files.filter((name) => /\.(cpp|h|in)$/.test(name) && !isTest(name))) {
    for (const [, name] of text(file).matchAll(/^#include "([^"]+)"/gm)) {
      if (`src/${name}`.replace(/h$/, 'cpp') !== file) users.set(`src/${name}`, file);
    }
  }
  for (const file of files.filter((name) => /^src\/.*\.h$/.test(name) && !users.has(name))) {
    breach(file, 1, 'only tests include it: it belongs in tests/support/');
  }
}

// The CMake names of the rooms, and the targets that each of them links to: unity builds join rooms, and would
// not notice a missing one.
const links = new Map();
const nameOf = new Map();
for (const file of files.filter((name) => /^(src|programs|tools)\/.*CMakeLists\.txt$/.test(name))) {
  for (const [, name, words] of text(file).matchAll(/^parley_room\((\w+)([^)]*)\)/gm)) {
    const linked = words.replace(/\bTEST_(FOLDERS|DEPENDS) [^A-Z]*/g, '').match(/parley_\w+/g) ?? [];
    links.set(`parley_${name}`, linked);
    nameOf.set(path.dirname(file).replace(/^src\//, ''), `parley_${name}`);
  }
}

function linksTo(name, wanted, seen = new Set()) {
  if (name === wanted) return true;
  seen.add(name);
  return (links.get(name) ?? []).some((next) => !seen.has(next) && linksTo(next, wanted, seen));
}

// Reports a room that includes another one which its CMakeLists.txt does not link, directly or by a third.
function checkRoomLinks(file) {
  const room = roomOf(file);
  if (!isCpp(file) || room === null || isTest(file) || /\/program\//.test(file)) return;
  for (const match of text(file).matchAll(/^#include "([^"]+)"/gm)) {
    const target = nameOf.get(roomOf(included(match[1])));
    if (target === undefined || !nameOf.has(room) || linksTo(nameOf.get(room), target)) continue;
    breach(file, lineOf(file, match.index), `${nameOf.get(room)} does not link ${target}`);
  }
}

function lineOf(file, offset) {
  return text(file).slice(0, offset).split('\n').length;
}

// Reports headers that no file includes, sources in no build, and documents without a link to them.
function checkDead() {
  const used = new Set();
  for (const file of files.filter(isCpp)) {
    for (const [, name] of text(file).matchAll(/^#include "([^"]+)"/gm)) {
      used.add(included(name));
      used.add(path.normalize(path.join(path.dirname(file), name)));
    }
  }
  for (const file of files.filter((name) => name.endsWith('.h'))) {
    if (!used.has(file)) breach(file, 1, 'a header that nobody includes');
  }
  for (const file of files.filter((name) => /^(src|programs|tools|tests\/support)\/.*\.cpp$/.test(name))) {
    if (!isBuilt(file)) breach(file, 1, 'in no build');
  }
  const docs = files
    .filter((name) => /\.md$/.test(name))
    .map(text)
    .join('\n');
  for (const file of files.filter((name) => /^docs\/.*\.md$/.test(name))) {
    if (!docs.includes(path.basename(file))) breach(file, 1, 'a document that no document links to');
  }
}

// True if the file is beside a CMakeLists.txt, or in a folder that the one above names.
function isBuilt(file) {
  const folder = path.dirname(file);
  if (existsSync(path.join(folder, 'CMakeLists.txt'))) return true;
  const above = path.join(path.dirname(folder), 'CMakeLists.txt');
  if (!existsSync(above)) return false;
  const folders = /\bFOLDERS ([^)]*?)\n/.exec(text(above))?.[1].split(' ') ?? [];
  return (
    folders.includes(path.basename(folder)) || text(above).includes(`${path.basename(folder)}/${path.basename(file)}`)
  );
}

// C++ tests and conformance cases, which documents of protocols may name.
const tests = new Set();
for (const file of files.filter(isCpp)) {
  for (const match of text(file).matchAll(/^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)/gm)) {
    tests.add(`${match[1]}.${match[2]}`);
  }
}
const cases = new Set();
for (const file of files.filter((name) => /^tests\/conformance\/.*\.json$/.test(name))) {
  for (const match of text(file).matchAll(/"name": "([a-z0-9_]+: [^"]+)"/g)) cases.add(match[1]);
}

// The tests that a document of a protocol or of its cases names, as `Suite.Test` and as `file: case`, must exist.
function checkTestsNamed(file) {
  if (!/^docs\/protocol-.*\.md$|^tests\/conformance\/.*\.md$/.test(file)) return;
  for (const match of text(file).matchAll(/`([A-Z]\w*\.[A-Z]\w*)`/g)) {
    if (!tests.has(match[1])) {
      breach(file, lineOf(file, match.index), `names the test ${match[1]}, which does not exist`);
    }
  }
  for (const match of text(file).matchAll(/`([a-z_]+: [^`"{]+)`/g)) {
    const prefix = match[1].slice(0, match[1].indexOf(':') + 1);
    const known = [...cases].some((name) => name.startsWith(prefix));
    if (known && !cases.has(match[1])) {
      breach(file, lineOf(file, match.index), `names the case "${match[1]}", which does not exist`);
    }
  }
}

// The anchors of a document's headings, as GitHub makes them.
function anchorsOf(file) {
  const headings = [...text(file).matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1].replace(/\]\([^)]*\)/g, '').toLowerCase(),
  );
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

const kNotInstalled = /^(?:src|tests|tools|programs|web|bench|scripts)\//;

function checkLinks(file) {
  if (!file.endsWith('.md')) return;
  for (const match of text(file).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
    if (/^[a-z]+:/.test(match[1])) continue;
    const target = match[1] === '' ? file : path.join(path.dirname(file), match[1]);
    const known = existsSync(target) && (!match[2] || !target.endsWith('.md') || anchorsOf(target).includes(match[2]));
    if (!known)
      breach(
        file,
        lineOf(file, match.index),
        `a link to ${match[1]}${match[2] ? `#${match[2]}` : ''}, which does not exist`,
      );
    if (file.startsWith('docs/') && kNotInstalled.test(path.normalize(target))) {
      breach(file, lineOf(file, match.index), `a link to ${match[1]}, which an installed copy lacks`);
    }
  }
}

const binary = /\.(png|ico|svg|woff2?|gz|br|bin|desc|pem)$/;
for (const file of files.filter((name) => !binary.test(name))) {
  checkLicence(file);
  checkLength(file);
  checkName(file);
  checkLines(file);
  checkArrows(file);
  checkRoomLinks(file);
  checkBlocking(file);
  checkOneEngine(file);
  if (isCpp(file)) checkOneJson(file);
  checkLinks(file);
  checkTestsNamed(file);
}
checkDead();
checkServerAlone();
checkWings();
checkLimits();

for (const line of breaches) console.log(line);
console.log(`house: ${files.length} files, ${breaches.length} breaches`);
process.exit(breaches.length === 0 ? 0 : 1);
