import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { contextOf, ended, launcher } from './clawrden.ts';
import { install, startQueue } from './watch-queue.ts';

/** With stdout a pipe whose reader is gone before the first byte. */
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

test('a command whose reader goes away ends quietly, and well', { timeout: 60_000 }, async () => {
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
  for (const args of commands) expect([args, ...(await withoutReader(...args))]).toEqual([args, 0, '']);
});

test('stdout that cannot be written to is told in one line', async () => {
  const shell = spawn('bash', ['-c', '"$@" >/dev/full', 'bash', process.execPath, launcher, '--help']);
  expect(await ended(shell)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^clawrden: stdout: ENOSPC[^\n]*\n$/),
  });
});
