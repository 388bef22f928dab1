import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArguments } from '../../src/policy/arguments/read-arguments.ts';
import { hasSafeArguments } from '../../src/policy/arguments/safe-arguments.ts';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { grammarOf } from './command-lines.ts';
import { findTool, skipWithout } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

/** A registry, another host, and programs that a tool would fetch with: each says that it was asked. */
class Places {
  readonly root = mkdtempSync(join(tmpdir(), 'clawrden-specs-'));
  readonly dir = join(this.root, 'work');
  readonly #mark = join(this.root, 'mark');
  readonly #asked: string[] = [];
  readonly #far = this.#server('far');
  readonly #registry = this.#server('registry');

  #server(name: string): Server {
    return createServer((_, response) => {
      this.#asked.push(name);
      response.writeHead(404).end('{}');
    });
  }

  get far(): string {
    return `127.0.0.1:${(this.#far.address() as AddressInfo).port}`;
  }

  async open(): Promise<void> {
    for (const server of [this.#far, this.#registry])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const registry = `http://127.0.0.1:${(this.#registry.address() as AddressInfo).port}/`;
    for (const [name, text] of Object.entries(filesOf(registry, this.far))) {
      mkdirSync(join(this.root, name, '..'), { recursive: true });
      writeFileSync(join(this.root, name), text);
    }
    const script = join(this.root, 'bin/git');
    writeFileSync(script, `#!/bin/sh\necho "\${0##*/} $*" >>${this.#mark}\nexit 1\n`);
    chmodSync(script, 0o755);
    for (const name of ['ssh', 'tar']) symlinkSync('git', join(this.root, 'bin', name));
  }

  /** What of the world outside of the registry was asked, and whether the registry was. */
  async run(tool: string, args: readonly string[]): Promise<{ fetched: string[]; looked: boolean }> {
    this.#asked.length = 0;
    rmSync(this.#mark, { force: true });
    await this.#end(tool, args);
    const started = existsSync(this.#mark) ? readFileSync(this.#mark, 'utf8').split('\n').slice(0, 1) : [];
    const asked = this.#asked.filter((name) => name === 'far').slice(0, 1);
    return { fetched: [...started, ...asked], looked: this.#asked.includes('registry') };
  }

  #end(tool: string, args: readonly string[]): Promise<void> {
    const path = [join(this.root, 'bin'), process.env['PATH'] ?? '', '/usr/bin', '/bin'].join(delimiter);
    const home = join(this.root, 'home');
    const caches = { npm_config_cache: join(this.root, 'cache'), XDG_CACHE_HOME: join(this.root, 'cache') };
    const child = spawn(findTool(tool) ?? tool, args, {
      cwd: this.dir,
      env: { ...caches, PATH: path, HOME: home, LC_ALL: 'C', TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' },
      stdio: 'ignore',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve()));
  }

  close(): void {
    for (const server of [this.#far, this.#registry]) server.close().closeAllConnections();
    rmSync(this.root, { recursive: true, force: true });
  }
}

function filesOf(registry: string, far: string): Readonly<Record<string, string>> {
  const named = { x: '^1.0.0', g: `git+http://${far}/g.git`, h: `http://${far}/h.tgz`, k: 'github:a/b' };
  const lock = 'http://127.0.0.1:9/x.tgz#aa';
  return {
    'bin/none': '',
    'home/.npmrc': `registry=${registry}\naudit=false\nupdate-notifier=false\nfetch-retries=0\nlogs-max=0\n`,
    'home/.yarnrc': `registry "${registry}"\ndisable-self-update-check true\n`,
    'work/package.json': JSON.stringify({ name: 'a', version: '1.0.0', dependencies: named }),
    'work/node_modules/x/package.json': '{"name":"x","version":"1.0.0"}',
    'work/other/package.json': '{"name":"o","version":"1.0.0"}',
    'work/yarn.lock': `# yarn lockfile v1\n\n\nx@^1.0.0:\n  version "1.0.0"\n  resolved "${lock}"\n`,
  };
}

let places: Places;
beforeAll(async () => {
  places = new Places();
  await places.open();
});
afterAll(() => places.close());

/** Everything that a package manager takes for a place to fetch from, and names of packages. */
function specs(): string[] {
  const { far, dir } = places;
  const bare = [
    ...[`git+ssh://git@${far}/a.git`, `git+http://${far}/a.git`, `git://${far}/a`, `git+file://${dir}/other`],
    ...[`http://${far}/x.tgz`, `//${far}/x.tgz`, 'git@127.0.0.1:a/b.git', 'github:a/b', 'gitlab:a/b', 'a/b'],
    ...['gist:aaaa', 'file:other', './other', 'x.tgz', 'npm:y@1', 'latest'],
  ];
  return [
    'x',
    '@s/x',
    ...bare,
    ...bare.map((one) => `x@${one}`),
    ...bare.slice(0, 10).map((one) => `@s/x@${one}`),
  ];
}

const isSafe = (tool: string, args: readonly string[]) =>
  hasSafeArguments(grammarOf(tool), readArguments(grammarOf(tool), args));

/** Sub-commands that only look; not those that run what package.json names. */
function looking(tool: string): string[] {
  const leaves = leavesOf(grammarOf(tool).subcommands).filter(({ harmless }) => harmless);
  return leaves
    .filter(({ does = [], runs }) => runs === undefined && !does.includes('run'))
    .map(({ name }) => name);
}

/** Each sub-command with one of them, each time another; in a long run with every fourth, each sub-command with others. */
function linesOf(tool: string): string[][] {
  const all = specs();
  return looking(tool).flatMap((name, at) => {
    const own = isLong
      ? all.filter((_, index) => (index + at) % 4 === 0)
      : [all[(at * 7) % all.length] ?? 'x'];
    return own.map((spec) => [name, spec]);
  });
}

describe('A-31: a sub-command that looks, with a word that may say where to fetch from', () => {
  test.for(['npm', 'pnpm', 'yarn'])(
    '%s fetches nothing where the line is safe',
    { timeout: 1_800_000 },
    async (tool, context) => {
      skipWithout(tool, context);
      const safe = linesOf(tool).filter((args) => isSafe(tool, args));
      const tried = isLong ? safe : safe.filter((_, at) => at % 3 === 0);
      const guilty: string[] = [];
      for (const args of tried) {
        const { fetched } = await places.run(tool, args);
        if (fetched.length > 0) guilty.push(`${tool} ${args.join(' ')}: ${fetched.join()}`);
      }
      expect(guilty).toEqual([]);
      expect(looking(tool).length).toBeGreaterThan(2);
    },
  );

  test.for([
    ['npm', 'view', 'a/b'],
    ['npm', 'view', 'x@github:a/b'],
    ['yarn', 'list'],
    ['yarn', 'why', 'x'],
  ])(
    'and %s %s %s does fetch, and is not safe',
    { timeout: 120_000 },
    async ([tool = '', ...args], context) => {
      skipWithout(tool, context);
      expect((await places.run(tool, args)).fetched).toEqual([expect.stringMatching(/^git ls-remote|^git /)]);
      expect(isSafe(tool, args)).toBe(false);
    },
  );

  test('npm view x asks the registry, nothing else, and is safe', { timeout: 120_000 }, async (context) => {
    skipWithout('npm', context);
    expect(await places.run('npm', ['view', 'x'])).toEqual({ fetched: [], looked: true });
    expect(isSafe('npm', ['view', 'x'])).toBe(true);
  });
});
