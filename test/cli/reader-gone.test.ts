import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { launcher } from '../stack/launcher.ts';
import { contextOf, ended } from './clawrden.ts';
import { install, startQueue } from './watch-queue.ts';

const full = expect.stringMatching(/^clawrden: stdout: ENOSPC[^\n]*\n$/);

async function ontoFullDisk(...args: string[]): Promise<[number | null, string]> {
  const argv = ['-c', '"$@" >/dev/full', 'bash', process.execPath, launcher, ...args];
  const { code, stderr } = await ended(spawn('bash', argv, { timeout: 20_000 }));
  return [code, stderr];
}

/** With a pipe as stdout whose reader is gone before the first byte. */
async function withoutReader(...args: string[]): Promise<[number | null, string]> {
  const shell = spawn('bash', [
    '-c',
    '"$@" | true; exit "${PIPESTATUS[0]}"',
    'bash',
    ...[process.execPath, launcher, ...args],
  ]);
  const { code, stderr } = await ended(shell);
  return [code, stderr];
}

test('a command whose reader goes away ends quietly, and well; one whose output cannot be written says so', {
  timeout: 120_000,
}, async () => {
  await using queue = await startQueue(install);
  const context = await contextOf(queue.gateway);
  const policy = join(packageRoot(), 'policy.yaml');
  const commands = [
    ['--help'],
    ['policy', 'explain', '--help'],
    ['policy', 'check', policy],
    ['policy', 'explain', '--policy', policy, '--', 'ls'],
    ...[['pending'], ['pending', '--json'], ['ps'], ['hosts'], ['policy', 'show'], ['watch', '--json']].map(
      (args) => [...args, '--context', context],
    ),
  ];
  for (const args of commands) {
    const [quiet, told] = await Promise.all([withoutReader(...args), ontoFullDisk(...args)]);
    expect([args, ...quiet]).toEqual([args, 0, '']);
    expect([args, ...told]).toEqual([args, 1, full]);
  }
  // what could not be written was not shown.
  expect(existsSync(`${context}.shown`)).toBe(false);
});
