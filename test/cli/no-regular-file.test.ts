import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stateFiles } from '../../src/pki/state-files.ts';
import { attempt } from '../lab/command.ts';
import { launcher } from '../stack/launcher.ts';
import { clawrden } from './clawrden.ts';

let dir: string;
let state: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-fifo-'));
  state = join(dir, 'state');
  await clawrden(['init', '--dir', state], { HOME: dir });
  for (const name of [...Object.values(stateFiles), 'audit.jsonl']) {
    await rm(join(state, name), { force: true });
    execFileSync('mkfifo', ['-m', '600', join(state, name)]);
  }
  await symlink('/dev/zero', join(dir, 'zero'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = (...args: string[]) => attempt([process.execPath, launcher, ...args], { timeout: 50_000 });

test('P25: no command waits for an audit or a state file that is a FIFO or a device: it says so', {
  timeout: 120_000,
}, async () => {
  const audit = join(state, 'audit.jsonl');
  const commands = [
    ['audit', 'tail', audit],
    ['audit', 'tail', '-f', join(dir, 'zero')],
    ['audit', 'verify', audit, '--no-database'],
    ['audit', 'verify', audit],
    ['gateway', '--config', join(state, 'gateway.yaml')],
  ];
  const ended = await Promise.all(commands.map((args) => run(...args)));
  for (const [index, { code, stdout, stderr }] of ended.entries()) {
    const args = commands[index];
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
    expect(stderr).toMatch(/^clawrden: [^\n]*not a regular file[^\n]*\n$/);
  }
  const { code, stdout } = await run('doctor', '--config', join(state, 'gateway.yaml'), '--json');
  expect(code).toBe(1);
  const findings = JSON.parse(stdout) as { check: string; level: string; text: string }[];
  for (const check of ['authority', 'server certificate', 'database', 'audit']) {
    const found = findings.filter((each) => each.check === check && each.level !== 'ok');
    expect([check, ...found.map(({ text }) => text)]).toEqual([
      check,
      expect.stringContaining('not a regular file'),
    ]);
  }
});
