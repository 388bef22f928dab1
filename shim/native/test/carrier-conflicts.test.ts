import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';

type Change = (at: (path: string) => string) => void;

interface Row {
  readonly name: string;
  readonly agent: Change;
  readonly tool: Change;
  /** What is at home then, by path; a folder is what is in it. */
  readonly home: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What was refused, and what is kept of it. */
  readonly refused?: Readonly<Record<string, string | undefined>>;
}

const write =
  (path: string, text: string): Change =>
  (at) =>
    writeFileSync(at(path), text);
const remove =
  (path: string): Change =>
  (at) =>
    rmSync(at(path), { recursive: true });
const name =
  (first: string, other: string): Change =>
  (at) =>
    linkSync(at(first), at(other));
const all =
  (...changes: readonly Change[]): Change =>
  (at) =>
    changes.forEach((change) => change(at));

const rows: readonly Row[] = [
  { name: 'to the same', agent: write('f', 'new'), tool: write('f', 'new'), home: { f: 'new' } },
  {
    name: 'bytes there, mode here',
    agent: (at) => chmodSync(at('f'), 0o600),
    tool: write('f', 'tool'),
    home: { f: 'tool' },
  },
  {
    name: 'file and file',
    agent: write('f', 'agent'),
    tool: write('f', 'tool'),
    home: { f: 'agent' },
    refused: { f: 'tool' },
  },
  { name: 'changed there, gone here', agent: remove('f'), tool: write('f', 'tool'), home: { f: 'tool' } },
  {
    name: 'changed here, gone there',
    agent: write('f', 'agent'),
    tool: remove('f'),
    home: { f: 'agent' },
    refused: { f: undefined },
  },
  {
    name: 'a folder gone there, a file new in it here',
    agent: write('d/new', 'agent'),
    tool: remove('d'),
    home: { d: ['new'] },
    refused: { d: undefined },
  },
  {
    name: 'a folder gone here, a file of it changed there',
    agent: remove('d'),
    tool: write('d/x', 'tool'),
    home: { d: ['x'], 'd/x': 'tool' },
  },
  {
    name: 'new on both sides',
    agent: write('n', 'agent'),
    tool: write('n', 'tool'),
    home: { n: 'agent' },
    refused: { n: 'tool' },
  },
  {
    name: 'a new folder on both sides',
    agent: all((at) => mkdirSync(at('m')), write('m/a', 'agent')),
    tool: all((at) => mkdirSync(at('m')), write('m/b', 'tool')),
    home: { m: ['a', 'b'] },
  },
  {
    name: 'a file changed here that is a folder there',
    agent: write('f', 'agent'),
    tool: all(remove('f'), (at) => mkdirSync(at('f')), write('f/in', 'tool')),
    home: { f: 'agent' },
    refused: { f: undefined, 'f/in': 'tool' },
  },
  {
    name: 'a folder with a new file here that is a file there',
    agent: write('d/new', 'agent'),
    tool: all(remove('d'), write('d', 'tool')),
    home: { d: ['new'] },
    refused: { d: 'tool' },
  },
  {
    name: 'a new name there of a file that is gone here',
    agent: remove('f'),
    tool: name('f', 'g'),
    home: { f: undefined, g: 'base' },
  },
  {
    name: 'a new name there of a file that is another here',
    agent: write('f', 'agent'),
    tool: name('f', 'g'),
    home: { f: 'agent', g: 'base' },
  },
];

const seen = (path: string) => {
  if (!existsSync(path)) return undefined;
  return statSync(path).isDirectory() ? readdirSync(path).sort() : readFileSync(path, 'utf8');
};

const places = buildsOrOnly('static');

describe.each(places)('what both sides changed ($name, $under)', ({ carrier, under }) => {
  test.each(rows)('$name', async ({ agent, tool, home, refused = {} }) => {
    await using pair = await Pair.make(carrier, under);
    const here = (path: string) => join(pair.homePlace.root, path);
    const there = (path: string) => join(pair.replicaPlace.root, path);
    writeFileSync(here('f'), 'base');
    mkdirSync(here('d'));
    writeFileSync(here('d/x'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    agent(here);
    tool(there);
    const back = await bringHome(pair.home.session, pair.replica.session);
    for (const [path, expected] of Object.entries(home))
      expect([path, seen(here(path))]).toEqual([path, expected]);
    const told = back?.exchanged.applied.refused ?? [];
    expect(told.map(({ path }) => path.toString()).sort()).toEqual(Object.keys(refused).sort());
    for (const { path, kept } of told) {
      const expected = refused[path.toString()];
      if (expected !== undefined) expect(seen(join(pair.homePlace.area, 'kept', kept ?? ''))).toBe(expected);
    }
    // The replica is told what home has now.
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
    expect((await pair.home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
    expect(await bringHome(pair.home.session, pair.replica.session)).toBeUndefined();
  });

  test.each([100, 3 * 1024 * 1024])(
    'a new name, that nobody waits for, of a file of %i bytes that is gone here is kept',
    async (size) => {
      await using pair = await Pair.make(carrier, under);
      const bytes = 'x'.repeat(size);
      for (const path of ['f', 'stays']) writeFileSync(join(pair.homePlace.root, path), bytes);
      await sendOut(pair.home.session, pair.replica.session);
      rmSync(join(pair.homePlace.root, 'f'));
      linkSync(join(pair.replicaPlace.root, 'f'), join(pair.replicaPlace.root, 'g'));
      const kept = await pair.setAside();
      const other = kept?.refused.find(({ path }) => path.toString() === 'g');
      const file = join(pair.homePlace.area, 'kept', other?.kept ?? 'none');
      expect(readFileSync(file, 'utf8') === bytes).toBe(true);
      expect([readdirSync(pair.homePlace.root), pair.difference]).toEqual([['stays'], '']);
    },
  );

  test('what home changed never goes over what a replica has and home has not', async () => {
    await using pair = await Pair.make(carrier, under);
    const [here, there] = [join(pair.homePlace.root, 'f'), join(pair.replicaPlace.root, 'f')];
    writeFileSync(here, 'base');
    await sendOut(pair.home.session, pair.replica.session);
    writeFileSync(here, 'agent');
    writeFileSync(there, 'tool');
    const out = await sendOut(pair.home.session, pair.replica.session);
    expect(out?.applied.refused).toMatchObject([{ why: 'conflict' }]);
    expect(readFileSync(there, 'utf8')).toBe('tool');
    const back = await bringHome(pair.home.session, pair.replica.session);
    expect(back?.exchanged.applied.refused).toMatchObject([{ why: 'conflict' }]);
    expect(readFileSync(here, 'utf8')).toBe('agent');
    await sendOut(pair.home.session, pair.replica.session);
    expect([readFileSync(there, 'utf8'), pair.difference]).toEqual(['agent', '']);
  });
});
