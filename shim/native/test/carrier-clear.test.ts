import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';

describe.each(buildsOrOnly('sanitized'))('taking all out of a replica ($name)', ({ carrier }) => {
  test('A-621 P20: whatever is in it goes, however deep, and nothing beside it', async () => {
    using place = makePlace();
    const { root, folder, area } = place;
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'x');
    const dive = 'for (1 .. 20_000) { mkdir "d"; chdir "d" } open(my $f, ">", "f"); print $f "x"';
    execFileSync('perl', ['-e', dive], { cwd: root });
    mkdirSync(join(root, 'closed/inner'), { recursive: true });
    for (const name of ['plain', 'closed/file', 'd/beside']) writeFileSync(join(root, name), 'x');
    chmodSync(join(root, 'closed'), 0);
    symlinkSync(outside, join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    await using replica = await CarrierProcess.start(carrier, { root, area }, { role: 'replica' });
    await replica.session.clear();
    expect([readdirSync(root), readdirSync(outside)]).toEqual([[], ['file']]);
  });

  test('A-621 P13: what is known of a replica is forgotten before anything of it goes, and is not written again', async () => {
    using place = makePlace();
    const { root, area } = place;
    writeFileSync(join(root, 'file'), 'x');
    const start = () => CarrierProcess.start(carrier, { root, area }, { role: 'replica' });
    {
      await using replica = await start();
      await replica.session.settle();
      replica.session.end();
      await replica.exited();
    }
    {
      await using replica = await start();
      expect(replica.first).toMatchObject({ remembered: true });
      await replica.session.clear();
      await expect(replica.session.settle()).rejects.toThrow('carrier');
    }
    writeFileSync(join(root, 'other'), 'x');
    await using again = await start();
    expect(again.first).toMatchObject({ remembered: false, at: { epoch: 0n } });
  });

  test('A-621: a home is not cleared', async () => {
    using place = makePlace();
    writeFileSync(join(place.root, 'file'), 'x');
    await using home = await CarrierProcess.start(carrier, place);
    await expect(home.session.clear()).rejects.toThrow('bad-frame: clear');
    expect(readdirSync(place.root)).toEqual(['file']);
  });
});
