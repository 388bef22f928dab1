import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace } from './carrier-process.ts';

const [{ carrier }] = carrierBuilds;
const [under] = fileSystems;

/** More than the names that a carrier keeps of what it does not carry, in one folder: no folder shows that some are missing. */
const names = 104_000;

/** Links: they are looked at sooner than files. */
function fill(folder: string): void {
  mkdirSync(folder);
  for (let name = 0; name < names; name++) symlinkSync('nothing', join(folder, `${name}`));
}

test('A-476 P13: files that have no room until others are gone are carried, also those of which the name was dropped', async () => {
  using place = makePlace(under);
  const [old, its] = ['old', 'new'].map((name) => join(place.root, name)) as [string, string];
  fill(old);
  const limits = { ...defaultLimits, entries: names + 1000 };
  await using home = await CarrierProcess.start(carrier, place, { limits });
  expect(home.first).toMatchObject({ entries: names + 2, skippedCount: 0 });
  renameSync(old, its);
  // All of the new folder is looked at before it is seen that the old one is gone.
  const state = await home.session.settle({ all: true });
  expect(state).toMatchObject({ entries: names + 2, skippedCount: 0, full: false });
});

test('A-476 P13: a replica that had too many files brings its changes home once they are gone', async () => {
  using place = makePlace(under);
  const [many, elsewhere] = [join(place.root, 'many'), join(place.folder, 'elsewhere')];
  fill(many);
  const limits = { ...defaultLimits, entries: 20 };
  await using replica = await CarrierProcess.start(carrier, place, { role: 'replica', limits });
  const changes = () => replica.session.changes({ of: 'dirty' }, () => undefined);
  expect(replica.first).toMatchObject({ entries: 20, skippedCount: 100_000 });
  renameSync(many, elsewhere);
  expect(await replica.session.settle()).toMatchObject({ entries: 1, skippedCount: 0 });
  await changes();
  renameSync(elsewhere, many);
  await replica.session.settle();
  await expect(changes()).rejects.toMatchObject({ code: 'workspace-limit', isOver: false });
});
