import { readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';

const analyze = ['systemd-analyze', '--no-pager'];
const hasSystemd = (await attempt([...analyze, '--version']).catch(() => undefined))?.code === 0;

/** The most that `systemd-analyze security` may say; 10 is a service that may do everything. */
const exposure = { 'clawrden-gateway.service': 2, 'clawrden-relay.service': 5 } as const;
const units = Object.keys(exposure) as (keyof typeof exposure)[];

let root: string;

/** A machine as the units expect it. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'clawrden-units-'));
  for (const folder of ['etc/systemd/system', 'usr/local/bin', 'bin'])
    await mkdir(join(root, folder), { recursive: true });
  for (const program of ['usr/local/bin/clawrden', 'bin/kill']) {
    await writeFile(join(root, program), '#!/bin/sh\n');
    await chmod(join(root, program), 0o755);
  }
  for (const unit of units) await cp(join(checkout, 'systemd', unit), join(root, 'etc/systemd/system', unit));
  await cp('/lib/systemd/system', join(root, 'lib/systemd/system'), { recursive: true }).catch(() => {});
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.skipIf(!hasSystemd)('units of systemd', () => {
  test.each(units)('%s: systemd knows every key of it, and finds its program', async (unit) => {
    const { code, stdout, stderr } = await attempt([
      ...analyze,
      'verify',
      '--man=no',
      `--root=${root}`,
      unit,
    ]);
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('clawrden'));
    expect({ code, own }).toEqual({ code: 0, own: [] });
  });

  test.each(units)('%s leaves its program little', async (unit) => {
    const most = `--threshold=${exposure[unit] * 10}`;
    const file = join(checkout, 'systemd', unit);
    const { code, stdout, stderr } = await attempt([...analyze, 'security', '--offline=true', most, file]);
    expect({ code, said: code === 0 ? '' : `${stdout}${stderr}`.slice(-3000) }).toEqual({
      code: 0,
      said: '',
    });
  });

  test('a key that systemd does not know, and a service with all rights, are found', async () => {
    const wrong = join(root, 'etc/systemd/system/clawrden-wrong.service');
    await writeFile(wrong, '[Service]\nExecStart=/usr/local/bin/clawrden gateway\nProtectSystems=strict\n');
    const { stderr } = await attempt([
      ...analyze,
      'verify',
      '--man=no',
      `--root=${root}`,
      'clawrden-wrong.service',
    ]);
    expect(stderr).toContain('ProtectSystems');
    const open = await attempt([...analyze, 'security', '--offline=true', '--threshold=50', wrong]);
    expect(open.code).not.toBe(0);
  });
});

test('the units start programs that there are, with options that there are', () => {
  for (const unit of units) {
    const text = readFileSync(join(checkout, 'systemd', unit), 'utf8');
    const [, program] =
      /^ExecStart=\/usr\/local\/bin\/clawrden (gateway|relay) --config \//m.exec(text) ?? [];
    expect(unit).toBe(`clawrden-${program}.service`);
  }
});
