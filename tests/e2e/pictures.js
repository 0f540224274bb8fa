// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `make pictures`: takes the screenshots of the documents, from a real server in a real browser. Check
// them before they are committed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildHost, HeadlessHosts } from './lib/booking.js';
import { atRest, say } from './lib/chat.js';
import { fillInbox } from './lib/demo.js';
import { takeDecisions } from './decision_pictures.js';
import { Hook } from '../hook/hooks.js';
import { nameOrigin, visit } from './lib/pages.js';
import { BookingAgent, Participant } from './lib/participant.js';
import { until } from './lib/person.js';
import { kPhone, kPhoneScale, picture } from './lib/picture.js';
import { ask, ended, start } from './lib/runs.js';
import { Stage } from './lib/stage.js';

const kSize = { width: 1440, height: 900 };
const kShop = process.env.PARLEY_PICTURE_FOLDER ?? '/srv/shop'; // a new working folder whose name is in the pictures
const kFiles = {
  'notes.txt': 'The till opens at nine.\nMilk is delivered on Tuesdays and Fridays.\nThe alarm code is with Ada.\n',
  'README.md': '# Shop\n\nHow the shop works.\n',
  'reports/october.csv': 'day,sum\n1,120\n',
};

const kCoder = { agent_name: 'Coder', reasoning_model_name: 'large-2', timeout: 900 };
const kPlanner = { ...kCoder, agent_name: 'Planner', project_directory: '/src/notes' };

async function takeInbox(stage, person) {
  const race = 'The checkout test fails only in CI. Shall I raise its time-out or look for the race?';
  const coder = await stage.agent(undefined, 'terminal');
  const planner = await stage.agent(undefined, 'terminal');
  const answered = coder.ask(race, kCoder);
  await person.answer(race, 'Look for the race. A longer time-out only hides it.');
  await answered;
  // Not answered: they end with their agents.
  coder
    .finish(
      'Found it: two tests shared one port.\n\n- each test now asks for a free port\n- `make test` passed 20 times in a row',
      kCoder,
    )
    .catch(() => undefined);
  await person.taskCard('Found it').waitFor();
  const options = [
    { label: 'In the database', description: 'one file to back up, slower above 100 MB' },
    { label: 'In files beside it', description: 'fast, needs a migration' },
    { label: 'Leave it as it is', description: '' },
  ];
  const question = '**Two ways to store attachments.** Which one?\n\nThe second needs a migration of about 2 minutes.';
  planner.ask(question, { ...kPlanner, questions: [{ question, options }] }).catch(() => undefined);
  await person.card('Two ways').waitFor();
  await person.taskCard('Found it').locator('[data-test=answer-field]').focus();
  await picture(person.page, 'inbox');
}

// The phone, and the dark appearance, with some history.
async function takeConsole(stage) {
  const kBefore = 40;
  await fillInbox(stage.server, 0, kBefore);
  const phone = await stage.person(undefined, kPhone, kPhoneScale);
  await phone.page.locator('[data-test=question-card]').first().waitFor();
  await picture(phone.page, 'phone');
  await phone.close();
  const dark = await stage.person(undefined, kSize, { colorScheme: 'dark' });
  await dark.page.locator('[data-test=question-card]').first().waitFor();
  await picture(dark.page, 'inbox-dark');
  await dark.close();
}

// A permission prompt of a coding agent, on a phone, in an inbox of its own.
async function takePermission() {
  const stage = new Stage();
  try {
    await stage.server.start();
    await showPermission(stage);
  } finally {
    await stage.end();
  }
}

async function showPermission(stage) {
  const phone = await stage.person(undefined, kPhone, kPhoneScale);
  const waiting = new Hook(['claude', '--data', stage.server.data], {
    session_id: 's',
    transcript_path: '/t',
    cwd: '/src/shop',
    permission_mode: 'default',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'git push origin main', description: 'Publishes the mended till' },
    permission_suggestions: [
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'localSettings',
        rules: [{ toolName: 'Bash', ruleContent: 'git push:*' }],
      },
    ],
  });
  const card = phone.card('Wants to run a command.');
  await card.getByText('git push origin main').waitFor();
  await card.getByRole('button', { name: 'Allow once' }).scrollIntoViewIfNeeded();
  await picture(phone.page, 'permission');
  await card.getByRole('button', { name: 'Allow once' }).click();
  await waiting.ended;
}

// The page of devices, with the code for another phone.
async function takeDevices({ page }, server) {
  for (const name of ['Ada’s phone', 'tablet in the kitchen']) {
    const { token } = await (
      await ask(server, 'POST', '/v1/tokens', { name, rights: ['answer', 'read'], same_workspace: true })
    ).json();
    await fetch(`${server.url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
  }
  await nameOrigin(page, { mode: 'auto', origins: ['https://192.168.1.5:22080'] });
  await visit(page, server, '/settings/devices');
  await page.locator('[data-test=phone-name]').fill('Pocket');
  await page.locator('[data-test=phone-show]').click();
  await page.locator('[data-test=qr-code]').waitFor();
  await picture(page, 'devices');
}

async function takeRuns({ page }) {
  for (const [name, text] of Object.entries(kFiles)) {
    mkdirSync(join(kShop, name, '..'), { recursive: true });
    writeFileSync(join(kShop, name), text);
  }
  await start(page, {
    folder: kShop,
    approve: 'auto',
    agent: 'agot',
    message:
      'Compare notes.txt and README.md, then list the files in reports, then write the file reports/compare.md with "done"',
  });
  await ended(page, 'finished');
  await showUsage(page, 'run-plan');
  await start(page, { folder: kShop, agent: 'tot', message: 'Search for "till" in the files, then read notes.txt' });
  await ended(page, 'finished');
  await showUsage(page, 'run-tree');
  await start(page, {
    folder: kShop,
    agent: 'react',
    message:
      'Read the file notes.txt, then list the files here, then write the file reports/summary.md with "The till opens at nine."',
  });
  await page.locator('[data-test=approval]').waitFor();
  await page.waitForTimeout(2000); // the waiting step shows its duration
  await showUsage(page, 'run');
}

async function showUsage(page, name) {
  await page.locator('[data-test=tab-usage]').click();
  if (name !== 'run') await page.locator('[data-test=timeline]').evaluate((line) => line.scrollTo({ top: 0 }));
  await picture(page, name);
}

// An agent that joins from a page of the server; each of its calls has a reason.
async function seatFinder(server) {
  const host = await Participant.open(server, '#/host', kSize);
  const agent = await host.page.context().newPage();
  await agent.goto(server.url);
  await agent.evaluate(
    async (url) => {
      const socket = new WebSocket(url);
      const waiting = new Map();
      let last = 0;
      const say = (type, payload) =>
        new Promise((resolve) => {
          waiting.set(`c${++last}`, resolve);
          socket.send(JSON.stringify({ v: 'mvp-0.2', type, id: `c${last}`, payload }));
        });
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        waiting.get(message.replyTo)?.(message);
      };
      await new Promise((resolve) => (socket.onopen = resolve));
      window.tell = (type, payload) => void socket.send(JSON.stringify({ v: 'mvp-0.2', type, payload }));
      window.call = (toolName, params, reason) => say('tool.call', { toolName, params, reason });
      await say('relay.join', { role: 'agent', sessionId: 'default', agentName: 'Seat finder' });
    },
    `${server.url.replace('http', 'ws')}/agent/ws`,
  );
  return {
    host,
    call: (...args) => agent.evaluate((given) => window.call(...given), args),
    tell: (type, payload) => agent.evaluate((given) => window.tell(...given), [type, payload]),
  };
}

async function takeHost(stage) {
  const { host, call, tell } = await seatFinder(stage.server);
  try {
    const { page } = host;
    const choose = async (from, to, item) => {
      await host.stage(from).waitFor();
      await page.locator(`[data-item]:not([aria-disabled=true])`).nth(item).click();
      await host.part('next').first().click();
      await host.stage(to).waitFor();
    };
    await host.part('agent-indicator').filter({ hasText: 'Seat finder' }).waitFor();
    await host.say('A drama for two, in the evening, please.');
    await call('filter', { field: 'genre', operator: 'contains', value: 'Drama' }, 'You asked for a drama.');
    await choose('movie', 'theater', 0);
    await choose('theater', 'date', 0);
    await choose('date', 'time', 1);
    await choose('time', 'seat', -1);
    await host.say('Not too close to the screen.');
    const free = page.locator('[data-item*="-F"][aria-disabled=false]');
    const seats = await free.evaluateAll((all) => all.slice(3, 7).map((each) => each.dataset.item));
    await tell('agent.message', { text: 'Row **F** is in the middle: take two of the seats that I marked.' });
    await call('highlight', { itemIds: seats, style: 'glow' }, 'In the middle, with room in front.');
    await page.locator(`[data-item="${seats[0]}"]`).click();
    await picture(page, 'host');
  } finally {
    await host.close();
  }
}

async function takeReplay(stage, { page }) {
  buildHost();
  const hosts = await HeadlessHosts.start(stage.server, 'pilot', 1);
  const agent = BookingAgent.start(
    stage.server,
    '--session',
    'pilot-1',
    '--name',
    'Seat finder',
    '--study',
    'pilot',
    '--participant',
    'P01',
    '--seats',
    '3',
    '--daytime',
    'evening',
    '--pace',
    '250',
  );
  const code = await agent.ended;
  await hosts.end();
  if (code !== 0) throw new Error(`no booking:\n${agent.said}`);
  const { studies } = await (await ask(stage.server, 'GET', '/v1/studies')).json();
  const { id } = studies.find((each) => each.participant_id === 'P01');
  await page.goto(`${stage.server.url}/#/studies/${id}/replay`);
  const screen = page.locator('[data-test=screen]');
  const shows = async (words) => (await screen.innerText()).includes(words);
  await screen.waitFor();
  await until(async () => {
    if (!(await shows('Choose your seats'))) await page.locator('[data-test=next-stage]').click();
    return shows('Choose your seats');
  }, 'the replay comes to the seats');
  const chosen = page.locator('[data-test=event]').filter({ hasText: /Selects \w+-[A-J]/ });
  await chosen.nth(2).click();
  await until(() => shows('2 seats chosen'), 'the screen shows the moment');
  await picture(page, 'replay');
}

// The demonstration with a stand-in for ComfyUI: a workflow is changed, allowed and run.
async function takeChat({ page }) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const demo = spawn('scripts/demo-chat', [], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  demo.stderr.setEncoding('utf8').on('data', (text) => (told += text));
  try {
    await until(() => told.includes('Ctrl-C ends all of it'), 'the demonstration has begun');
    const chat = await page.context().newPage();
    await chat.setViewportSize(kSize);
    await chat.goto(/http:\/\/\S+#\/chat\/\S+/.exec(told)[0]);
    // The server refuses a message while the previous reply is still being written.
    const sayNext = async (text) => {
      await atRest(chat);
      await say(chat, text);
    };
    await chat.locator('svg', { hasText: 'KSampler' }).first().waitFor();
    await sayNext('set steps of node 3 to 12');
    await chat.getByText('is now 12').waitFor();
    await sayNext('queue the workflow');
    await chat.getByText('Allow once').waitFor();
    await chat.getByText('Allow once').click();
    await chat.locator('img[src^=blob]').first().waitFor();
    await picture(chat, 'chat');
    await chat.close();
  } finally {
    demo.kill('SIGINT');
  }
}

// The folder must be new, so that no files of others are overwritten, or removed at the end.
if (existsSync(kShop))
  throw new Error(`${kShop} exists. Name a folder that does not: PARLEY_PICTURE_FOLDER=... make pictures`);
const stage = new Stage();
try {
  await stage.server.start();
  const person = await stage.person(undefined, kSize);
  await takeInbox(stage, person);
  await takeRuns(person);
  await takeHost(stage);
  await takeReplay(stage, person);
  await takeChat(person);
  await takePermission();
  await takeDevices(person, stage.server);
  await person.close(); // nobody else is online
  await takeConsole(stage);
  await takeDecisions();
} finally {
  await stage.end();
  rmSync(kShop, { recursive: true, force: true });
}
