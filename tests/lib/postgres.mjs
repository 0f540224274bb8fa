// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL in a folder of its own, on a socket in that folder; never as root. It ends with this process.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clockOfFile, forgetClock, offset } from './faketime.mjs';

const kPrograms = '/usr/lib/postgresql'; // a folder for each version
const kNobody = 65_534;
const kPauseMs = 20;
const kPort = 5432; // the name of the socket
const kMostOutput = 1 << 30; // of a query, in bytes
// A lost machine of a test loses its data as a whole: nothing waits for the disk.
const kSettings = ['listen_addresses=', 'fsync=off', 'log_min_messages=panic', 'wal_receiver_timeout=5s'];
const kStandbySettings = ['primary_slot_name=', 'hot_standby=on'];

export class Postgres {
  #folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  #data = join(this.#folder, 'data');
  #clock = join(this.#folder, 'clock');
  #child;
  #clockJumps;

  // `clockJumps`: setClock() can be called.
  constructor({ clockJumps = false } = {}) {
    this.#clockJumps = clockJumps;
    if (clockJumps) this.setClock(0);
  }

  get folder() {
    return this.#folder;
  }

  // Its socket.
  get socket() {
    return join(this.#folder, `.s.PGSQL.${kPort}`);
  }

  get url() {
    return `postgresql:///postgres?host=${encodeURIComponent(this.#folder)}&user=parley`;
  }

  // Makes an empty database and starts it.
  async start() {
    this.#giveFolder();
    const form = ['--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--no-sync', '--no-instructions'];
    this.#call('initdb', ['--pgdata', this.#data, '--username', 'parley', ...form]);
    await this.resume();
  }

  // Copies a running one and follows it, until promote(). What was here before is removed.
  async follow(primary) {
    this.#giveFolder();
    rmSync(this.#data, { recursive: true, force: true });
    const from = `host=${primary.folder} user=parley application_name=standby`;
    await this.#run('pg_basebackup', [
      '--pgdata',
      this.#data,
      '--dbname',
      from,
      '--write-recovery-conf',
      '--no-sync',
      '--checkpoint',
      'fast',
    ]);
    await this.resume(kStandbySettings);
  }

  // Starts it on the data that it has.
  async resume(more = []) {
    const settings = [...kSettings, ...more].flatMap((each) => ['-c', each]);
    const words = ['-D', this.#data, '-k', this.#folder, ...settings];
    this.#child = spawn('setpriv', this.#words('postgres', words, this.#clockWords), { stdio: 'ignore' });
    while (!this.#isReady()) await pause(kPauseMs);
  }

  // Ends recovery: a standby becomes a primary.
  promote() {
    this.#call('pg_ctl', ['promote', '--pgdata', this.#data, '--silent']);
  }

  // Sets the clock off by so many seconds, within a second.
  setClock(seconds) {
    writeFileSync(this.#clock, offset(seconds));
  }

  // The lines that psql prints, without form: columns are separated by |.
  async query(sql) {
    const flags = ['--no-psqlrc', '--tuples-only', '--no-align', '--quiet', '--set', 'ON_ERROR_STOP=1'];
    const words = [...flags, '--dbname', this.url, '--command', sql];
    const { stdout } = await promisify(execFile)(this.#program('psql'), words, { maxBuffer: kMostOutput });
    return stdout.split('\n').filter((line) => line !== '');
  }

  // SIGQUIT ends it at once, as a crash does; its children end with it.
  async stop() {
    if (this.#child === undefined) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGQUIT');
    await ended;
    forgetClock(this.#child.pid);
    this.#child = undefined;
  }

  async end() {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #isReady() {
    try {
      execFileSync(this.#program('pg_isready'), ['--host', this.#folder, '--quiet']);
      return true;
    } catch {
      return false;
    }
  }

  #giveFolder() {
    if (process.getuid() === 0) chownSync(this.#folder, kNobody, kNobody);
  }

  #program(name) {
    const newest = readdirSync(kPrograms)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1);
    return join(kPrograms, newest, 'bin', name);
  }

  // Before a program whose clock can jump.
  get #clockWords() {
    if (!this.#clockJumps) return [];
    return ['env', ...Object.entries(clockOfFile(this.#clock)).map(([name, value]) => `${name}=${value}`)];
  }

  // The words that start a program of PostgreSQL.
  #words(name, more, before = []) {
    const asNobody = ['--reuid', `${kNobody}`, '--regid', `${kNobody}`, '--clear-groups'];
    const user = process.getuid() === 0 ? asNobody : [];
    return ['--pdeathsig', 'QUIT', ...user, ...before, this.#program(name), ...more];
  }

  #call(name, more) {
    execFileSync('setpriv', this.#words(name, more), { cwd: this.#folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  // The same without blocking this process.
  async #run(name, more) {
    const child = spawn('setpriv', this.#words(name, more), {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  }
}

// A primary whose commits wait for a standby, which can take its place.
export class PostgresPair {
  constructor(options) {
    this.primary = new Postgres(options);
    this.standby = new Postgres(options);
  }

  async start() {
    await this.primary.start();
    await this.standby.follow(this.primary);
    await this.#synchronise();
  }

  // Names both, of which libpq takes the one that writes.
  get url() {
    const hosts = [this.primary, this.standby].map(({ folder }) => encodeURIComponent(folder)).join(',');
    return `postgresql:///postgres?host=${hosts}&user=parley&target_session_attrs=read-write`;
  }

  // The primary is lost with its data, the standby takes its place, and a new one is made. Resolves when commits
  // wait for that; `onPromoted` is called before it is made.
  async failOver(onPromoted = () => undefined) {
    await this.primary.stop();
    [this.primary, this.standby] = [this.standby, this.primary];
    this.primary.promote();
    while ((await this.primary.query('SELECT pg_is_in_recovery()'))[0] !== 'f') await pause(kPauseMs);
    onPromoted();
    await this.standby.follow(this.primary);
    await this.#synchronise();
  }

  async end() {
    await this.standby.end();
    await this.primary.end();
  }

  // The base backup copies this setting: a promoted standby waits for none until it has its own.
  async #synchronise() {
    const state = async () =>
      (await this.primary.query(`SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`))[0];
    while ((await state()) === undefined) await pause(kPauseMs);
    await this.primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await this.primary.query('SELECT pg_reload_conf()');
    while ((await state()) !== 'sync') await pause(kPauseMs);
  }
}
