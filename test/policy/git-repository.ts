import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptFolder } from './kept-folder.ts';
import { findTool } from './scratch.ts';

/** What a line came to. */
export interface GitDeed {
  /** The sub-commands of every git that git started for it. */
  readonly started: readonly string[];
  /** The sub-commands that are there to change what it changed in the repository. */
  readonly changed: readonly string[];
}

/** A repository with a remote, a submodule, branches that differ, a stash, and files that were changed. */
export class GitRepository implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'clawrden-git-'));
  readonly #home = join(this.#root, 'home');
  readonly #dir = join(this.#home, 'work');
  readonly #trace = join(this.#root, 'trace');
  readonly #kept: KeptFolder;
  readonly #before: GitState;
  readonly #theirs: GitState;

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
    this.#before = this.#state(this.#dir);
    this.#theirs = this.#state(join(this.#home, 'remote'));
    this.#kept = new KeptFolder(this.#home);
    rmSync(this.#trace);
  }

  /** Runs the line; the repository is as before afterwards. */
  try(args: readonly string[]): GitDeed {
    this.#git(args);
    const events = this.#events();
    const touched = this.#kept.changed();
    const after = touched.length > 0 ? this.#state(this.#dir) : this.#before;
    const changed = changedBetween(this.#before, after, this.#theirs);
    this.#kept.restore(touched);
    rmSync(this.#trace, { force: true });
    const inner = events.filter(({ event, sid }) => event === 'cmd_name' && sid.includes('/'));
    const names = new Set(inner.map(({ name = '' }) => name));
    return { started: [...names].filter((name) => !name.startsWith('_')), changed };
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
    rmSync(this.#root, { recursive: true, force: true });
  }

  #state(dir: string): GitState {
    const { stdout } = this.#git(['for-each-ref', '--format=%(refname) %(objectname)'], dir);
    const refs = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
    const files = [
      join(dir, '.git/config'),
      join(dir, '.git/config.worktree'),
      join(this.#home, '.gitconfig'),
    ];
    return {
      refs: new Map(refs.map(([name = '', value = '']) => [name, value])),
      head: textOf(join(dir, '.git/HEAD')),
      config: files.map(textOf).join('\n'),
    };
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

  #git(args: readonly string[], cwd = this.#dir) {
    return spawnSync(findTool('git') ?? 'git', args, {
      cwd,
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
  ...['checkout -q main', 'push -q origin main:elsewhere', '-C ../remote branch topic', 'fetch -q origin'],
  ...['-C ../remote tag theirs', 'notes add -m x', 'branch -q -d -r origin/topic'],
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

interface GitState {
  /** By the name of each: its object. */
  readonly refs: ReadonlyMap<string, string>;
  readonly head: string;
  readonly config: string;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** What is there to make, move or remove a reference; HEAD's own branch is moved by each commit. */
const changers: readonly (readonly [start: string, name: string])[] = [
  ['refs/heads/', 'branch'],
  ['refs/tags/', 'tag'],
  ['refs/notes/', 'notes'],
  ['refs/replace/', 'replace'],
  ['refs/stash', 'stash'],
];

function changedBetween(before: GitState, after: GitState, theirs: GitState): readonly string[] {
  const names = [...new Set([...before.refs.keys(), ...after.refs.keys()])];
  const changed = names
    .filter((name) => before.refs.get(name) !== after.refs.get(name))
    .filter((name) => !isHead(name, before) && !(isHead(name, after) && before.refs.has(name)))
    .filter((name) => !isTheirTag(name, after, theirs))
    .flatMap((name) => changers.find(([start]) => name.startsWith(start))?.[1] ?? []);
  const isSame = ownConfig(before, after) === ownConfig(after, before);
  return [...new Set([...changed, ...(isSame ? [] : ['config'])])];
}

function isHead(name: string, { head }: GitState): boolean {
  return head.trim() === `ref: ${name}`;
}

/** A fetch brings tags that another repository has, under the names that they have there. */
function isTheirTag(name: string, { refs }: GitState, theirs: GitState): boolean {
  return name.startsWith('refs/tags/') && refs.has(name) && refs.get(name) === theirs.refs.get(name);
}

/** Without what git notes by itself about branches that are only in one of the two states. */
function ownConfig({ config, refs }: GitState, other: GitState): string {
  const sections = config.split(/^(?=\[)/m).filter((section) => {
    const [, branch] = /^\[branch "(.*)"\]/.exec(section) ?? [];
    const name = `refs/heads/${branch}`;
    return branch === undefined || refs.has(name) === other.refs.has(name);
  });
  return sections.map((section) => section.trim()).join('\n');
}
