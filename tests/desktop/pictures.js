// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `make pictures`: takes the pictures of the desktop program, with two servers whose agents ask. Check them
// before they are committed.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from '../e2e/lib/agent.js';
import { permission } from '../e2e/lib/decisions.js';
import { Server } from '../e2e/lib/server.js';
import { Desk, entry } from './lib/desktop.js';

const kImages = process.env.PARLEY_PICTURES ?? fileURLToPath(new URL('../../docs/images/', import.meta.url));
const kCoder = { agent_name: 'Coder', reasoning_model_name: 'large-2', timeout: 900 };
const kPlanner = { ...kCoder, agent_name: 'Planner', project_directory: '/src/notes' };
const kAnimations = 1000; // ms, of GTK and of the page

const home = await new Server().start();
const office = new Server();
office.token = 'the-token-of-the-office';
await office.start();
const coder = await Agent.start(home, undefined, 'terminal');
const planner = await Agent.start(office, undefined, 'terminal');
const desk = await Desk.open();
let hook;

async function take(name, window) {
  await new Promise((resolve) => setTimeout(resolve, kAnimations));
  const png = join(desk.home, 'picture.png');
  desk.picture(png, window);
  execFileSync('convert', [
    png,
    '-strip',
    '-define',
    'webp:lossless=true',
    '-define',
    'webp:method=6',
    join(kImages, `${name}.webp`),
  ]);
  process.stdout.write(`${name}.webp\n`);
}

try {
  const laptop = { url: 'http://127.0.0.1:9', token: 'none' }; // a server that is not there
  const desktop = desk.start(
    [],
    `width = 1200\nheight = 480\non_question = "tray"\non_report = "tray"\n${entry('a', 'Home', home)}${entry('b', 'Office', office)}${entry('c', 'Laptop', laptop)}`,
  );
  await desktop.until(
    ({ servers }) => servers[0].state === 'online' && servers[1].state === 'online',
    'both are connected',
  );
  // Not answered: they end with their agents.
  const waits = (counts) =>
    desktop.until(({ servers }) => counts.every((count, at) => servers[at].waiting === count), `${counts} wait`);
  coder
    .ask('The checkout test fails only in CI. Shall I raise its time-out or look for the race?', kCoder)
    .catch(() => undefined);
  await waits([1, 0]);
  planner
    .ask(
      'Two ways to store attachments: in the database (one file to back up, slower above 100 MB) or in files beside it. Which one?\n\nThe second needs a migration of about 2 minutes.',
      kPlanner,
    )
    .catch(() => undefined);
  await waits([1, 1]);
  planner
    .finish(
      'The import reads all 4,112 notes now. 3 of them had broken dates; they are listed in import.log.',
      kPlanner,
    )
    .catch(() => undefined);
  await waits([1, 2]);
  await take('desktop', await desk.activate('^Waiting$'));
  await coder.end();
  await waits([0, 2]);
  hook = permission({ server: home }, 'Bash', {
    command: 'git push origin main',
    description: 'Publishes the mended till',
  });
  await waits([1, 2]);
  desk.click(await desk.activate('^Waiting$'), 100, 120); // "Home", at the left
  await desktop.until(({ page, shown }) => shown === 'a' || page.startsWith(home.url), 'its page is open');
  const window = await desk.activate('^Home$');
  desk.xdo('windowsize', '--sync', window, '1200', '880');
  desk.xdo('mousemove', '--window', window, '1000', '10'); // no tooltip
  await take('desktop-card', window);
} finally {
  await desk.close();
  await planner.end();
  hook?.child.kill('SIGKILL');
  await home.end();
  await office.end();
}
