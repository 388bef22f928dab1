import { existsSync } from 'node:fs';
import {
  CarrierProcess,
  carrierBuilds,
  fileSystems,
  makePlace,
} from '../../shim/native/test/carrier-process.ts';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import { type Figure, single } from './figure.ts';
import { fill, mebibyte } from './followed-trees.ts';
import { rss } from './throughput.ts';

/** Memory of a carrier that has a large tree in its index, on a memory file system if there is one. */
export async function indexMemory(entries: number): Promise<Figure> {
  using place = makePlace(fileSystems.find((folder) => existsSync(folder)));
  await fill(place.root, entries);
  await using carrier = await CarrierProcess.start(carrierBuilds[0].carrier, place, {
    limits: { ...defaultLimits, entries: 2 * entries },
  });
  const megabytes = (await rss(carrier.child.pid ?? 0)) / mebibyte;
  return {
    figure: `a carrier with ${carrier.first.entries} entries: its memory`,
    unit: 'MB',
    ...single(megabytes),
    target: '≤ 64 MB for 200 000',
    met: megabytes <= 64,
  };
}
