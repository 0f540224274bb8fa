// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `make pictures`: takes the picture of the desktop program, with two servers whose agents ask. Check it
// before it is committed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from '../e2e/lib/agent.js';
import { Server } from '../e2e/lib/server.js';
import { Desk, entry } from './lib/desk.js';

const kImages = process.env.PARLEY_PICTURES ?? fileURLToPath(new URL('../../docs/images/', import.meta.url));
const kCoder = { agent_name: 'Coder', reasoning_model_name: 'large-2', timeout: 900 };
const kPlanner = { ...kCoder, agent_name: 'Planner', project_directory: '/src/notes' };

const home = await new Server().start();
const office = new Server();
office.token = 'the-token-of-the-office';
await office.start();
const agents = [await Agent.start(home, undefined, 'terminal'), await Agent.start(office, undefined, 'terminal')];
const desk = await Desk.open();
try {
  const laptop = { url: 'http://127.0.0.1:9', token: 'none' }; // a server that is not there
  const desktop = desk.start([], `width = 1200\nheight = 560\non_question = "tray"\non_report = "tray"\n${entry('a', 'Home', home)}${entry('b', 'Office', office)}${entry('c', 'Laptop', laptop)}`);
  await desktop.until(({ servers }) => servers[0].state === 'online' && servers[1].state === 'online', 'both are connected');
  // Not answered: they end with their agents.
  const waits = (counts) => desktop.until(({ servers }) => counts.every((count, at) => servers[at].waiting === count), `${counts} wait`);
  agents[0].ask('The checkout test fails only in CI. Shall I raise its time-out or look for the race?', kCoder).catch(() => undefined);
  await waits([1, 0]);
  agents[1].ask('Two ways to store attachments: in the database (one file to back up, slower above 100 MB) or in files beside it. Which one?\n\nThe second needs a migration of about 2 minutes.', kPlanner).catch(() => undefined);
  await waits([1, 1]);
  agents[1].finish('The import reads all 4,112 notes now. 3 of them had broken dates; they are listed in import.log.', kPlanner).catch(() => undefined);
  await waits([1, 2]);
  await desk.activate('^Waiting$');
  await new Promise((resolve) => setTimeout(resolve, 1000)); // GTK's animations have ended
  desk.picture(join(kImages, 'desktop.png'), await desk.window('^Waiting$'));
  process.stdout.write('desktop.png\n');
} finally {
  await desk.close();
  for (const agent of agents) await agent.end();
  await home.end();
  await office.end();
}
