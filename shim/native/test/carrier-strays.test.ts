import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const [{ carrier }] = carrierBuilds;
const [under] = fileSystems;
const readWriteNameless = 0o20200002;

const open: number[] = [];
afterEach(() => {
  for (const fd of open.splice(0)) closeSync(fd);
});

function opened(path: string, flags: string | number): number {
  const fd = openSync(path, flags, 0o644);
  open.push(fd);
  return fd;
}

/** The last six make a descriptor of a name of which nobody hears, each in another way. */
const kinds = [
  'create',
  'open',
  'link',
  'unlink',
  'rename',
  'write',
  'nameless',
  'named late',
  'empty',
  'moved in',
  'new folder',
  'excluded',
] as const;
type Kind = (typeof kinds)[number];

/** One change of a folder, by somebody who keeps what he opens. */
interface Change {
  readonly kind: Kind;
  readonly from: string;
  readonly to: string;
  readonly at: number;
}

const anyName = fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b');
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...kinds, 'link', 'write'),
  from: anyName,
  to: anyName,
  at: fc.nat(),
});

let written = 0;
const write = (fd: number) => writeSync(fd, `${(written += 1)} `, 0);

function named(fd: number, name: string): void {
  execFileSync('ln', ['-L', `/proc/${process.pid}/fd/${fd}`, name]);
}

/** Each leaves a descriptor open by which its file may be written. */
const makers: Partial<Record<Kind, (name: string, root: string) => void>> = {
  nameless: (name, root) => {
    const nameless = opened(root, readWriteNameless);
    write(nameless);
    named(nameless, name);
  },
  'named late': (name) => {
    const first = `${name}.tmp`;
    write(opened(first, 'w+'));
    linkSync(first, name);
    rmSync(first);
  },
  empty: (name, root) => named(opened(root, readWriteNameless), name),
  'moved in': (name, root) => {
    const nameless = opened(root, readWriteNameless);
    write(nameless);
    named(nameless, join(root, 'cache/x'));
    renameSync(join(root, 'cache/x'), name);
  },
  'new folder': (name) => {
    mkdirSync(`${name}.new`);
    const [first, second] = [join(`${name}.new`, 'x'), join(`${name}.new`, 'y')];
    write(opened(first, 'w+'));
    linkSync(first, second);
    rmSync(first);
    renameSync(second, name);
    rmSync(`${name}.new`, { recursive: true });
  },
  excluded: (name, root) => {
    const [first, second] = [join(root, 'cache/e'), join(root, 'cache/f')];
    write(opened(first, 'w+'));
    linkSync(first, second);
    rmSync(first);
    renameSync(second, name);
  },
};

/** Does nothing where the folder is not so that it can. */
function apply({ kind, from, to, at }: Change, { root }: Place): void {
  const [old, its] = [join(root, from), join(root, to)];
  const fd = open[at % Math.max(open.length, 1)];
  const isThere = existsSync(old);
  if (kind === 'create') writeFileSync(old, `${(written += 1)}`);
  if (kind === 'open' && isThere) opened(old, 'r+');
  if (kind === 'link' && isThere && !existsSync(its)) linkSync(old, its);
  if (kind === 'unlink') rmSync(old, { force: true });
  if (kind === 'rename' && isThere) renameSync(old, its);
  if (kind === 'write' && fd !== undefined) write(fd);
  const make = makers[kind];
  if (make !== undefined && !isThere) make(old, root);
}

async function start(place: Place): Promise<CarrierProcess> {
  for (const name of ['d', 'cache']) mkdirSync(join(place.root, name));
  return await CarrierProcess.start(carrier, place, { excludes: ['cache'] });
}

test.each<[string, readonly Kind[]]>([
  ['has a name that is gone, of two', ['create', 'link', 'open', 'unlink', 'write']],
  ['had no name, and got one', ['nameless', 'write']],
  ['got its name as a link of one that is gone', ['named late', 'write']],
  ['got its name while it was empty', ['empty', 'write']],
  ['came by a rename out of an excluded folder', ['excluded', 'write']],
  ['had no name, got one in an excluded folder, and was moved', ['moved in', 'write']],
  ['came by a rename out of a folder that was there for a moment', ['new folder', 'write']],
])(
  'A-612 A-638 P13: what is written through a descriptor that %s is in the next version',
  async (_, steps) => {
    using place = makePlace(under);
    await using home = await start(place);
    let state = await home.session.settle();
    for (const kind of steps) {
      apply({ kind, from: 'a', to: 'b', at: 0 }, place);
      const before = state.tree;
      state = await home.session.settle();
      expect(state.tree === before).toBe(kind === 'open');
    }
  },
);

test.each([
  ['excluded', 'cache'],
  ['outside of the tree', '../outside'],
  ['too deep', 'x/x/x/x/x/x'],
])(
  'A-625 P13: what is written through a name that is %s is seen, if it was there at a look',
  async (_, where) => {
    using place = makePlace(under);
    const at = (...names: string[]) => join(place.root, ...names);
    mkdirSync(at(where), { recursive: true });
    for (const name of ['a', 'b']) writeFileSync(at(name), 'first');
    for (const name of ['a', 'b']) linkSync(at(name), at(where, name));
    linkSync(at('a'), at('c'));
    const limits = { ...defaultLimits, depth: 4 };
    await using home = await CarrierProcess.start(carrier, place, { limits, excludes: ['cache'] });
    let { tree } = await home.session.settle();
    for (const name of ['a', 'b', 'a']) {
      writeFileSync(at(where, name), `${(written += 1)}`);
      const state = await home.session.settle();
      expect(state.tree).not.toBe(tree);
      expect((await home.session.settle({ all: true })).tree).toBe(state.tree);
      tree = state.tree;
    }
  },
);

test('A-638 P13: what is written through an excluded name that is gone by then is seen', async () => {
  using place = makePlace(under);
  const at = (...names: string[]) => join(place.root, ...names);
  await using home = await start(place);
  writeFileSync(at('a'), 'first');
  linkSync(at('a'), at('cache/a'));
  await home.session.settle();
  const fd = opened(at('cache/a'), 'r+');
  rmSync(at('cache/a'));
  let { tree } = await home.session.settle();
  for (let times = 0; times < 2; times += 1) {
    write(fd);
    const state = await home.session.settle();
    expect(state.tree).not.toBe(tree);
    tree = state.tree;
  }
});

test('A-612 A-638 P13: through whatever descriptor files are written, a settle sees what a look at everything sees', async () => {
  const changes = fc.array(change, { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      using place = makePlace(under);
      await using home = await start(place);
      for (const one of made) {
        apply(one, place);
        await home.session.settle();
      }
      const { tree } = await home.session.settle();
      expect(await home.session.settle({ all: true })).toMatchObject({ tree });
      for (const fd of open.splice(0)) closeSync(fd);
    }),
    { numRuns: isLong ? 300 : 30 },
  );
});
