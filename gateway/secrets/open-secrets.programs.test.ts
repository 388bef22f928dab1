import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSecrets } from './open-secrets.ts';

const { signal } = new AbortController();

/** A command that counts its runs, and what it wrote last. */
function counting(folder: string, ttl: number) {
  const runs = join(folder, 'runs');
  writeFileSync(runs, '');
  const script = `echo run >> ${runs}; echo secret-$(wc -l < ${runs} | tr -d ' ')-secret`;
  const secret = openSecrets(() => new Map([['db', { command: ['sh', '-c', script] as const, ttl }]]));
  return {
    read: async () => String(await secret('db', signal)),
    runs: () => readFileSync(runs, 'utf8').split('\n').length - 1,
  };
}

test('what a command wrote is used for its ttl, by all who ask at once, and then it runs again', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'clawrden-secret-'));
  const { read, runs } = counting(folder.path, 1500);
  expect(await Promise.all([read(), read(), read()])).toEqual(Array(3).fill('secret-1-secret'));
  expect(await read()).toBe('secret-1-secret');
  expect(runs()).toBe(1);
  await sleep(1600);
  expect(await read()).toBe('secret-2-secret');
});

test('a command that failed is run again at the next use', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'clawrden-secret-'));
  const file = join(folder.path, 'value');
  const secret = openSecrets(() => new Map([['db', { command: ['cat', file] as const, ttl: 60_000 }]]));
  await expect(secret('db', signal)).rejects.toThrow('secrets.db: cat ended with status 1');
  writeFileSync(file, 'now it is there\n');
  expect(String(await secret('db', signal))).toBe('now it is there');
});

test('who gives up is not kept waiting by a command', async () => {
  const secret = openSecrets(() => new Map([['db', { command: ['sleep', '8'] as const, ttl: 1000 }]]));
  await expect(secret('db', AbortSignal.timeout(100))).rejects.toThrow('timeout');
});
