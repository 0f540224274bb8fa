// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A desk of its own for the desktop program: an X server with a window manager, a session bus with a stand-in
// for the tray, a home folder.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../../e2e/lib/person.js';
import { kWindowEnv, startScreen } from '../../lib/screen.mjs';

const program = (name) => join(process.env.PARLEY_BIN_DIR, name);
const kSize = '1440x900x24';

async function firstLine(stream) {
  const [line] = await once(createInterface({ input: stream }), 'line');
  return line;
}

export class Desk {
  home = mkdtempSync(join(tmpdir(), 'parley-desktop-'));
  items = []; // of the tray: { name, path }
  notifications = []; // their headings
  #children = [];
  #programs = [];

  static async open(size = kSize) {
    const desk = new Desk();
    mkdirSync(join(desk.home, 'run'), { mode: 0o700 });
    desk.env = {
      PATH: process.env.PATH,
      HOME: desk.home,
      LC_ALL: 'C.UTF-8',
      XDG_RUNTIME_DIR: join(desk.home, 'run'),
      ...kWindowEnv,
    };
    const screen = await startScreen(size, desk.env);
    desk.#children.push(screen.child);
    desk.env.DISPLAY = screen.display;
    const bus = desk.run('dbus-daemon', ['--session', '--nofork', '--print-address']);
    desk.env.DBUS_SESSION_BUS_ADDRESS = await firstLine(bus.stdout);
    desk.run('openbox', []);
    const tray = desk.run(program('status_watcher'), []);
    createInterface({ input: tray.stdout }).on('line', (line) => {
      const [what, name, path] = line.split(' ');
      if (what === 'icon') desk.items.push({ name, path });
      else desk.notifications.push(line.slice(what.length + 1));
    });
    await until(
      () =>
        desk
          .#bus('org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner', 'org.kde.StatusNotifierWatcher')
          .includes('true'),
      'there is a tray',
    );
    return desk;
  }

  run(name, args, env = {}) {
    const child = spawn(name, args, {
      env: { ...this.env, ...env },
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    return child;
  }

  // Starts the desktop program. `settings`: text of desktop.toml.
  start(args = [], settings = null) {
    if (settings !== null) {
      mkdirSync(join(this.home, '.config', 'parley'), { recursive: true });
      writeFileSync(this.settingsFile, settings, { mode: 0o600 });
    }
    const desktop = new Desktop(
      spawn(program('parley-desktop'), [...args, '--print-state'], {
        env: this.env,
        cwd: this.home,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.#programs.push(desktop);
    return desktop;
  }

  get settingsFile() {
    return join(this.home, '.config', 'parley', 'desktop.toml');
  }

  #bus(name, path, method, ...args) {
    return execFileSync('gdbus', ['call', '--session', '-d', name, '-o', path, '-m', method, '--', ...args], {
      env: { ...this.env, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
  }

  async #item() {
    await until(() => this.items.length > 0, 'the icon is in the tray');
    return this.items.at(-1);
  }

  // A property of the icon in the tray.
  async icon(property) {
    const { name, path } = await this.#item();
    const text = this.#bus(name, path, 'org.freedesktop.DBus.Properties.Get', 'org.kde.StatusNotifierItem', property);
    return /<'([^']*)'>/.exec(text)?.[1];
  }

  // The labels of the tray's menu, and a click on one.
  async menu() {
    const { name, path } = await this.#item();
    const text = this.#bus(name, `${path}/Menu`, 'com.canonical.dbusmenu.GetLayout', '0', '-1', '[]');
    return [...text.matchAll(/<\((\d+), \{([^}]*)\}/g)].map(([, id, more]) => ({
      id,
      label: /'label': <'([^']*)'>/.exec(more)?.[1] ?? '',
    }));
  }

  async clickMenu(label) {
    const { name, path } = await this.#item();
    const { id } = (await this.menu()).find((each) => each.label === label);
    this.#bus(name, `${path}/Menu`, 'com.canonical.dbusmenu.Event', id, 'clicked', "<''>", '0');
  }

  // An action of the program's menu.
  act(name) {
    this.#bus('org.parley.Desktop', '/org/parley/Desktop', 'org.gtk.Actions.Activate', name, '[]', '{}');
  }

  // Presses keys and moves the mouse as a person does.
  xdo(...args) {
    return execFileSync('xdotool', args, { env: this.env, encoding: 'utf8' });
  }

  // Ids of the visible windows with this title.
  windows(title) {
    try {
      return this.xdo('search', '--onlyvisible', '--name', title).trim().split('\n');
    } catch {
      return [];
    }
  }

  async window(title) {
    await until(() => this.windows(title).length > 0, `there is a window ${title}`);
    return this.windows(title).at(-1);
  }

  async activate(title) {
    const id = await this.window(title);
    this.xdo('windowactivate', '--sync', id);
    await until(() => new RegExp(title).test(this.#focused()), `${title} has the focus`);
    return id;
  }

  // The title of the window that gets the keys.
  #focused() {
    try {
      return this.xdo('getwindowfocus', 'getwindowname').trim();
    } catch {
      return '';
    }
  }

  // Clicks at a place of a window, measured from its upper left corner; negative: from the lower right.
  click(id, x, y) {
    const shape = this.xdo('getwindowgeometry', '--shell', id);
    const [width, height] = ['WIDTH', 'HEIGHT'].map((name) => Number(new RegExp(`${name}=(\\d+)`).exec(shape)[1]));
    this.xdo('mousemove', '--window', id, String(x < 0 ? width + x : x), String(y < 0 ? height + y : y), 'click', '1');
  }

  // Types a text into the window that has the focus, at a pace that a busy machine follows.
  type(text) {
    this.xdo('type', '--delay', '20', text);
  }

  picture(file, window = 'root') {
    execFileSync('import', ['-window', window, file], { env: this.env });
  }

  read(name) {
    const file = join(this.home, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  async close() {
    for (const desktop of this.#programs) await desktop.end();
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 });
  }
}

// A running desktop program.
export class Desktop {
  state = {};
  said = ''; // all of stdout and stderr
  #child;

  constructor(child) {
    this.#child = child;
    this.ended = once(child, 'exit').then(([code]) => code);
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.said += `${line}\n`;
      if (line.startsWith('{')) this.state = JSON.parse(line);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => (this.said += text));
  }

  async until(test, what) {
    await until(() => this.state.servers !== undefined && test(this.state), what).catch((error) => {
      throw new Error(`${error.message}\n${this.said}`);
    });
  }

  // Waits until the pages of the shown server are usable.
  untilSignedIn() {
    return this.until(({ page, tray }) => page !== '' && tray !== 'offline', 'the page is signed in');
  }

  // Ends the processes of its pages, as the system does if memory is short.
  killPages() {
    execFileSync('pkill', ['-KILL', '-P', String(this.#child.pid), '-f', 'WebKitWebProcess']);
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.ended;
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}

// One server of desktop.toml.
export const entry = (id, alias, server, token = server.token) =>
  `[[server]]\nid = "${id}"\nalias = "${alias}"\nurl = "${server.url}"\ntoken = "${token}"\n`;
