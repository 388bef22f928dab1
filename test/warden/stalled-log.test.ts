import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { startRealGateway } from './real-gateway.ts';

/** A FIFO whose reader exists and reads nothing; no more byte fits in. */
function fullFifo(file: string): { readonly writer: number; readonly close: () => void } {
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const filler = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  const writer = openSync(file, constants.O_WRONLY);
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(filler, Buffer.alloc(size));
    } catch {}
  }
  const close = () => [reader, filler, writer].forEach((fd) => closeSync(fd));
  return { writer, close };
}

test('P21: a gateway whose log nobody reads starts, answers and ends; so does one that has only its last line to say', {
  timeout: 90_000,
}, async () => {
  await using gateway = await startRealGateway();
  await gateway.end('SIGTERM');
  const { writer, close } = fullFifo(join(gateway.state, 'fifo'));
  const run = (...args: string[]) =>
    spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'ignore', writer] });

  const child = run('gateway', '--config', join(gateway.state, 'gateway.yaml'));
  const ended = once(child, 'exit');
  await expect.poll(async () => (await gateway.cli('agents')).code, { timeout: 30_000 }).toBe(0);
  expect((await gateway.cli('policy', 'show')).code).toBe(0);
  child.kill('SIGTERM');
  expect(await Promise.race([ended, sleep(15_000, ['still there'], { ref: false })])).toEqual([0, null]);

  for (const program of ['gateway', 'relay']) {
    const failing = once(run(program, '--config', join(gateway.state, 'no.yaml')), 'exit');
    expect(await Promise.race([failing, sleep(15_000, ['still there'], { ref: false })])).toEqual([1, null]);
  }
  close();
});
