import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, fchmodSync, linkSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildsOrOnly, CarrierProcess, makePlace, type Place } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

/** So many names of what is not carried are kept at most, but for those that the kernel tells of. */
const namesKept = 100_000;

/** In two folders: an inode of ext4 has at most 65,000 names. */
function makeNames({ root }: Place): void {
  for (const folder of ['one', 'two']) {
    mkdirSync(join(root, folder));
    const first = join(root, folder, 'n0');
    execFileSync('mkfifo', [first]);
    for (let name = 1; name < namesKept / 2; name++) linkSync(first, join(root, folder, `n${name}`));
  }
}

describe.runIf(isRoot).each(buildsOrOnly('sanitized'))(
  'names of what is not carried, more than are kept ($name)',
  ({ carrier }) => {
    test('A-378 P20: of a folder that closes and opens meanwhile none is forgotten twice', async () => {
      using place = makePlace();
      const at = (path: string) => join(place.root, path);
      mkdirSync(at('d'));
      const fifos = [at('d/y1'), at('d/y2')];
      execFileSync('mkfifo', fifos);
      makeNames(place);
      for (const path of ['', 'd', 'one', 'two']) chownSync(at(path), agent.uid, agent.gid);
      toAgent(place.folder);
      await using home = await CarrierProcess.start(carrier, place, agent);
      expect(home.first.skippedCount).toBe(namesKept);
      for (const name of ['a', 'b', 'c']) linkSync(at('one/n0'), at(`one/${name}`));
      expect((await home.session.settle()).skippedCount).toBe(namesKept + 3);
      const open = fifos.map((path) => openSync(path, 'r+'));
      chmodSync(at('d'), 0);
      await home.session.settle();
      for (const descriptor of open) fchmodSync(descriptor, 0o640);
      chmodSync(at('d'), 0o755);
      // Both names are looked at before the folder, and found again in it.
      expect((await home.session.settle()).skippedCount).toBe(namesKept + 3);
      // What is told of them again is found, too.
      for (const descriptor of open) closeSync(descriptor);
      expect(await home.session.settle()).toMatchObject({ entries: 4, skippedCount: namesKept + 5 });
    }, 60_000);
  },
);
