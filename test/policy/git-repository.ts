import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool } from './scratch.ts';

/** A repository with a remote, a submodule, branches that differ, a stash, and files that were changed. */
export class GitRepository implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'clawrden-git-'));
  readonly #home = join(this.#root, 'home');
  readonly #dir = join(this.#home, 'work');
  readonly #template = join(this.#root, 'template');
  readonly #trace = join(this.#root, 'trace');

  constructor() {
    mkdirSync(this.#dir, { recursive: true });
    for (const line of beginning) this.#do(line);
    for (const text of ['first', 'second']) {
      writeFileSync(join(this.#dir, 'file'), text);
      this.#do('add file');
      this.#do(`commit -q -m ${text}`);
    }
    for (const line of more) this.#do(line);
    writeFileSync(join(this.#dir, 'file'), 'kept');
    this.#do('stash push -q');
    writeFileSync(join(this.#dir, 'file'), 'changed');
    writeFileSync(join(this.#dir, 'new'), 'untracked');
    cpSync(this.#home, this.#template, { recursive: true });
    rmSync(this.#trace);
  }

  /** The sub-commands of every git that git starts for the line; the repository is as before afterwards. */
  startedBy(args: readonly string[]): readonly string[] {
    this.#git(args);
    const events = this.#events();
    rmSync(this.#home, { recursive: true, force: true });
    rmSync(this.#trace, { force: true });
    cpSync(this.#template, this.#home, { recursive: true });
    const inner = events.filter(({ event, sid }) => event === 'cmd_name' && sid.includes('/'));
    return [...new Set(inner.map(({ name = '' }) => name))].filter((name) => !name.startsWith('_'));
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #events(): Event[] {
    try {
      const lines = readFileSync(this.#trace, 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line): Event => JSON.parse(line));
    } catch {
      return [];
    }
  }

  #do(line: string): void {
    const { status, stderr } = this.#git(line.split(' '));
    if (status !== 0) throw new Error(`git ${line}: ${stderr}`);
  }

  #git(args: readonly string[]) {
    return spawnSync(findTool('git') ?? 'git', args, {
      cwd: this.#dir,
      env: { ...quiet, HOME: this.#home, GIT_TRACE2_EVENT: this.#trace, GIT_CEILING_DIRECTORIES: this.#root },
      input: '',
      encoding: 'utf8',
      timeout: 10_000,
    });
  }
}

interface Event {
  readonly event: string;
  readonly sid: string;
  readonly name?: string;
}

const beginning = [
  ...['init -q -b main', 'commit -q --allow-empty -m one', 'tag one', 'clone -q --bare . ../remote'],
  ...['remote add origin ../remote', 'submodule -q add ../remote sub', 'commit -q -m sub'],
];

const more = [
  ...['branch other one', 'branch topic', 'checkout -q other', 'commit -q --allow-empty -m three'],
  ...['checkout -q main', 'fetch -q origin', 'notes add -m x'],
];

/** Nothing asks, nothing goes to a network, nothing stays behind in the background. */
const settings = {
  'gc.autoDetach': 'false',
  'maintenance.autoDetach': 'false',
  'protocol.allow': 'never',
  'protocol.file.allow': 'always',
  'user.name': 'a',
  'user.email': 'a@example.invalid',
};

const quiet = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TERM: 'dumb',
  GIT_CONFIG_NOSYSTEM: '1',
  // Without sample hooks there is less to copy.
  GIT_TEMPLATE_DIR: '',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};
