import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { carrierBuilds, fileSystems } from './carrier-process.ts';

test.each(carrierBuilds)(
  '12: $name: what nobody waits for any more is kept, not applied, and the replica becomes what home is',
  async ({ carrier }) => {
    await using pair = await Pair.make(carrier, fileSystems[0]);
    const at = (path: string) => join(pair.homePlace.root, path);
    const there = (path: string) => join(pair.replicaPlace.root, path);
    for (const name of ['changed', 'gone', 'both']) writeFileSync(at(name), 'home');
    mkdirSync(at('folder'));
    writeFileSync(at('folder/in it'), 'home');
    await sendOut(pair.home.session, pair.replica.session);
    const before = await pair.home.session.settle();

    writeFileSync(there('changed'), 'late');
    writeFileSync(there('new'), 'late');
    writeFileSync(there('large'), Buffer.alloc(3 << 20, 1));
    rmSync(there('gone'));
    rmSync(there('folder'), { recursive: true });
    symlinkSync('/etc/passwd', there('link'));
    mkdirSync(there('made/deep'), { recursive: true });
    writeFileSync(there('made/deep/file'), 'late');
    writeFileSync(there('both'), 'late');
    writeFileSync(at('both'), 'agent');
    const applied = await pair.setAside();

    const kept = new Map(applied?.refused.map((each) => [each.path.toString(), each.kept]));
    const readKept = (name: string) =>
      readFileSync(join(pair.homePlace.area, 'kept', kept.get(name) ?? 'nothing'), 'utf8');
    expect(['changed', 'new', 'both', 'made/deep/file'].map(readKept)).toEqual(Array(4).fill('late'));
    expect(pair.difference).toBe('');
    expect(readKept('large')).toHaveLength(3 << 20);
    expect(kept.has('gone')).toBe(true);
    expect(['changed', 'gone', 'folder/in it'].map((name) => readFileSync(at(name), 'utf8'))).toEqual(
      Array(3).fill('home'),
    );
    expect(readFileSync(at('both'), 'utf8')).toBe('agent');
    expect(['new', 'large', 'link', 'made'].filter((name) => existsSync(at(name)))).toEqual([]);
    const [here, after] = [await pair.home.session.settle(), await pair.replica.session.settle()];
    expect(here.entries).toBe(before.entries);
    expect(after).toMatchObject({ tree: here.tree, dirty: 0, at: here.version });
  },
);
