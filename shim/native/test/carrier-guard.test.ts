import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';

const places = buildsOrOnly('static');

const fill = (root: string, folder: string, count: number): void => {
  mkdirSync(join(root, folder));
  for (let i = 0; i < count; i++) writeFileSync(join(root, folder, `f${i}`), '');
};

describe.each(places)('a mass deletion at home ($name, $under)', ({ carrier, under }) => {
  async function filled(...folders: readonly (readonly [string, number])[]): Promise<Pair> {
    const pair = await Pair.make(carrier, under);
    for (const [name, count] of folders) fill(pair.homePlace.root, name, count);
    await sendOut(pair.home.session, pair.replica.session);
    return pair;
  }

  test('16: does not travel, not even after a kill, until somebody says that it is meant', async () => {
    await using pair = await filled(['a', 1100], ['b', 900]);
    rmSync(join(pair.homePlace.root, 'a'), { recursive: true });
    for (let times = 0; times < 2; times++) {
      expect(await pair.home.session.settle()).toMatchObject({ suspect: true, entries: 902 });
      await expect(sendOut(pair.home.session, pair.replica.session)).rejects.toThrow('workspace-suspect');
      expect(readdirSync(join(pair.replicaPlace.root, 'a'))).toHaveLength(1100);
      await pair.again('home', times === 0 ? 'end' : 'kill');
    }
    // What a tool makes still comes home.
    writeFileSync(join(pair.replicaPlace.root, 'made'), 'tool');
    await bringHome(pair.home.session, pair.replica.session);
    await expect(sendOut(pair.home.session, pair.replica.session)).rejects.toThrow('workspace-suspect');
    // What somebody said is not asked again, though nothing else changed.
    await pair.again('home', 'end');
    expect(await pair.home.session.settle({ trust: true })).toMatchObject({ suspect: false });
    await pair.again('home', 'end');
    expect(await pair.home.session.settle()).toMatchObject({ suspect: false });
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test.each([
    ['half of it', 1000, 1100],
    ['much of little', 900, 10],
  ])('travels where it is only %s', async (_name, gone, rest) => {
    await using pair = await filled(['a', gone], ['b', rest]);
    rmSync(join(pair.homePlace.root, 'a'), { recursive: true });
    expect(await pair.home.session.settle()).toMatchObject({ suspect: false });
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test('by a command is meant, and a renamed folder is no deletion', async () => {
    await using pair = await filled(['a', 1100], ['b', 100]);
    renameSync(join(pair.homePlace.root, 'a'), join(pair.homePlace.root, 'c'));
    expect(await pair.home.session.settle()).toMatchObject({ suspect: false });
    await sendOut(pair.home.session, pair.replica.session);
    rmSync(join(pair.replicaPlace.root, 'c'), { recursive: true });
    await bringHome(pair.home.session, pair.replica.session);
    expect(await pair.home.session.settle()).toMatchObject({ suspect: false, entries: 102 });
  });

  test('16: a root that was emptied is suspect, however little was in it', async () => {
    await using pair = await filled(['a', 2]);
    rmSync(join(pair.homePlace.root, 'a'), { recursive: true });
    await expect(sendOut(pair.home.session, pair.replica.session)).rejects.toThrow('workspace-suspect');
    // A home that has forgotten all of it is an empty one to its replica, which does not believe it.
    pair.home.session.end();
    await pair.home.exited();
    rmSync(pair.homePlace.area, { recursive: true });
    await pair.again('home', 'kill');
    await expect(sendOut(pair.home.session, pair.replica.session)).rejects.toThrow('workspace-suspect');
    expect(readdirSync(join(pair.replicaPlace.root, 'a'))).toHaveLength(2);
    await sendOut(pair.home.session, pair.replica.session, { trusted: true });
    expect(pair.difference).toBe('');
  });

  test('11: what is gone is not remembered without end; a replica from before is compared in whole', async () => {
    const limits = { ...defaultLimits, entries: 60 };
    await using pair = await Pair.make(carrier, under, { limits });
    const here = (path: string) => join(pair.homePlace.root, path);
    writeFileSync(here('stays'), 'x');
    fill(pair.homePlace.root, 'first', 20);
    await sendOut(pair.home.session, pair.replica.session);
    rmSync(here('first'), { recursive: true });
    for (let round = 0; round < 4; round++) {
      fill(pair.homePlace.root, `round${round}`, 30);
      await pair.home.session.settle();
      rmSync(here(`round${round}`), { recursive: true });
      await pair.home.session.settle();
    }
    const { at } = await pair.replica.session.settle();
    await pair.home.session.settle();
    const since = pair.home.session.changes({ of: 'since', version: at }, () => undefined);
    await expect(since).rejects.toThrow('version-unknown');
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
    expect((await pair.home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
    // Of a replica nothing that home had may be forgotten.
    for (let round = 0; round < 4; round++) {
      fill(pair.replicaPlace.root, `round${round}`, 30);
      await pair.replica.session.settle();
      rmSync(join(pair.replicaPlace.root, `round${round}`), { recursive: true });
      await pair.replica.session.settle();
    }
    rmSync(join(pair.replicaPlace.root, 'stays'));
    await bringHome(pair.home.session, pair.replica.session);
    expect([readdirSync(pair.homePlace.root), pair.difference]).toEqual([[], '']);
  });
});

describe.each(places)('conflicts: keep-tool ($name, $under)', ({ carrier, under }) => {
  const rows = [
    ['both wrote', (at: (p: string) => string) => writeFileSync(at('f'), 'tool'), 'tool'],
    ['the tool deleted it', (at: (p: string) => string) => rmSync(at('f')), undefined],
    [
      'the tool made a folder of it',
      (at: (p: string) => string) => {
        rmSync(at('f'));
        mkdirSync(at('f'));
        writeFileSync(at('f/in'), 'tool');
      },
      ['in'],
    ],
  ] as const;

  test.each(rows)("%s: the tool's stands, the agent's is kept and named", async (_name, tool, expected) => {
    await using pair = await Pair.make(carrier, under);
    const here = (path: string) => join(pair.homePlace.root, path);
    writeFileSync(here('f'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    writeFileSync(here('f'), 'agent');
    tool((path) => join(pair.replicaPlace.root, path));
    const back = await bringHome(pair.home.session, pair.replica.session, { conflicts: 'keep-tool' });
    expect(back?.exchanged.checked.conflicts).toBe(1);
    const [refused] = back?.exchanged.applied.refused ?? [];
    expect(refused).toMatchObject({ why: 'replaced', path: Buffer.from('f') });
    expect(readFileSync(join(pair.homePlace.area, 'kept', refused?.kept ?? ''), 'utf8')).toBe('agent');
    if (expected === undefined) expect(readdirSync(here('.'))).toEqual([]);
    else if (expected === 'tool') expect(readFileSync(here('f'), 'utf8')).toBe(expected);
    else expect(readdirSync(here('f'))).toEqual(expected);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
    expect(await bringHome(pair.home.session, pair.replica.session)).toBeUndefined();
  });

  test("both made it: the tool's stands, but a folder at home stays, and what came is kept", async () => {
    await using pair = await Pair.make(carrier, under);
    const here = (path: string) => join(pair.homePlace.root, path);
    await sendOut(pair.home.session, pair.replica.session);
    writeFileSync(here('f'), 'agent');
    mkdirSync(here('d'));
    writeFileSync(here('d/in'), 'agent');
    for (const name of ['f', 'd']) writeFileSync(join(pair.replicaPlace.root, name), 'tool');
    const back = await bringHome(pair.home.session, pair.replica.session, { conflicts: 'keep-tool' });
    const kept = (name = '') => readFileSync(join(pair.homePlace.area, 'kept', name), 'utf8');
    const named = back?.exchanged.applied.refused.map((one) => [
      one.path.toString(),
      one.why,
      kept(one.kept),
    ]);
    expect(named?.sort()).toEqual([
      ['d', 'conflict', 'tool'],
      ['f', 'replaced', 'agent'],
    ]);
    expect([readFileSync(here('f'), 'utf8'), readFileSync(here('d/in'), 'utf8')]).toEqual(['tool', 'agent']);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });
});
