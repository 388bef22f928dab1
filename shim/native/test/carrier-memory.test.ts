import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CarrierProcess, carrierBuilds, makePlace, type Place } from './carrier-process.ts';

const files = 10_000;

function fill(place: Place): void {
  const folder = join(place.root, 'folder');
  mkdirSync(folder);
  for (let file = 0; file < files; file++) writeFileSync(join(folder, `${file}`.padEnd(100, 'x')), '');
}

/** The most that it ever had, in bytes. */
function mostMemory({ child }: CarrierProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) * 1024;
}

test.each(['found', 'read from its index'])(
  'an entry with a name of 100 bytes takes 240 of memory (%s)',
  async (how) => {
    using empty = makePlace();
    using place = makePlace();
    fill(place);
    const [{ carrier }] = carrierBuilds;
    if (how !== 'found') {
      await using first = await CarrierProcess.start(carrier, place);
      first.session.end();
      await first.exited();
    }
    await using small = await CarrierProcess.start(carrier, empty);
    await using large = await CarrierProcess.start(carrier, place);
    expect(large.first.entries).toBe(files + 2);
    // Beside its buffer for one block.
    expect((mostMemory(large) - mostMemory(small) - 2 ** 20) / files).toBeLessThan(240);
  },
);
