import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { ended } from './endless-writer.ts';

/** Adds a line to a file without a pause: each look at all of it meets a change. */
async function startLog(path: string): Promise<ChildProcess> {
  const script = `const fs = require('node:fs');
    const fd = fs.openSync(process.argv[1], 'a');
    fs.writeSync(1, 'begun');
    for (let n = 0; ; n++) fs.writeSync(fd, 'line ' + n + '\\n');`;
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe.each(buildsOrOnly('static'))(
  'a file that grows in a replica ($name, $under)',
  ({ carrier, under }) => {
    test.each([100_000, 3_000_000])(
      'A-594: comes home as it was read, in conflict with nobody, and whole in the end (%d bytes)',
      async (bytes) => {
        await using pair = await Pair.make(carrier, under);
        const path = join(pair.replicaPlace.root, 'log');
        await sendOut(pair.home.session, pair.replica.session);
        writeFileSync(path, Buffer.alloc(bytes, 'x'));
        const writer = await startLog(path);
        onTestFinished(() => ended(writer));
        const refused: unknown[] = [];
        for (let round = 0; round < 12; round++) {
          writeFileSync(join(pair.replicaPlace.root, 'other'), `${round}`);
          const back = await bringHome(pair.home.session, pair.replica.session);
          refused.push(...(back?.exchanged.applied.refused ?? []).filter(({ why }) => why !== 'unstable'));
          expect(readFileSync(join(pair.homePlace.root, 'other'), 'utf8')).toBe(`${round}`);
        }
        expect(refused).toEqual([]);
        await ended(writer);
        await bringHome(pair.home.session, pair.replica.session);
        await sendOut(pair.home.session, pair.replica.session);
        expect(pair.difference).toBe('');
      },
      60_000,
    );
  },
);
