import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkout } from '../lab/names.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  mirrored: { strategy: mirror }
rules:
  - { name: all, tools: [ghostly, mirrored], action: allow }
complete: true
`;

/** A program under what its unit leaves it: capabilities, and a file system in which only some folders can be written. */
function asUnit(unit: string, writable: readonly string[]): string[] {
  const text = readFileSync(join(checkout, 'systemd', unit), 'utf8');
  const kept = [...text.matchAll(/^CapabilityBoundingSet=(.*)$/gm)]
    .flatMap(([, names = '']) => names.split(' '))
    .filter((name) => name !== '')
    .map((name) => `+${name.replace('CAP_', '').toLowerCase()}`);
  const mounts = [
    'mount --make-rslave /',
    ...writable.map((folder) => `mount --bind ${folder} ${folder}`),
    'mount -o remount,bind,ro /',
    'mount -t tmpfs tmpfs /tmp',
    'exec env TMPDIR=/tmp "$@"',
  ].join(' && ');
  const caps = ['-all', ...kept].join(',');
  return [
    ...['unshare', '--mount', '--propagation=unchanged', 'sh', '-c', mounts, 'sh'],
    ...['setpriv', '--no-new-privs', '--inh-caps=-all', `--bounding-set=${caps}`],
  ];
}

describe.skipIf(!hasLab())('gateway and relay with what their units leave them', () => {
  let stack: Stack;
  beforeAll(async () => {
    const lab = sharedLab();
    const own = [lab.dir];
    stack = await startStack(lab, {
      name: 'units',
      policy,
      agents: { coder: { followed: {} } },
      under: asUnit('clawrden-gateway.service', own),
      relayUnder: asUnit('clawrden-relay.service', own),
    });
  });
  afterAll(() => stack?.stop());

  test('each has these capabilities and no other, and cannot write elsewhere', async () => {
    const of = async ({ pid }: { pid: number }) => await readFile(`/proc/${pid}/status`, 'utf8');
    expect(await of(stack.gateway)).toMatch(/^CapEff:\t0{16}$/m);
    expect(await of(stack.gateway)).toMatch(/^NoNewPrivs:\t1$/m);
    const relay = await of(stack.relay);
    expect(relay).toMatch(/^NoNewPrivs:\t1$/m);
    const [, effective = ''] = /^CapEff:\t([0-9a-f]{16})$/m.exec(relay) ?? [];
    expect(BigInt(`0x${effective}`).toString(2).replaceAll('0', '')).toHaveLength(12);
    for (const { pid } of [stack.gateway, stack.relay]) {
      const written = writeFile(`/proc/${pid}/root/etc/clawrden-units`, '');
      await expect(written).rejects.toThrow(/EROFS/);
    }
  });

  test('a workspace follows its agent, with modes and owners, and commands run in ghosts and by mirror', async () => {
    const { agents } = stack;
    const sh = (tool: string, script: string) => agents['coder']!.exec([`/clawrden/bin/${tool}`, script]);
    await writeFile(join(stack.workspaceOf('coder'), 'in'), 'from home');
    const script = 'cat in; mkdir made; echo x > made/file; chmod 751 made; exit 3';
    expect(await sh('ghostly', script)).toMatchObject({ stdout: 'from home', stderr: '', code: 3 });
    expect(await sh('mirrored', 'stat -c "%a %u" made; cat made/file')).toMatchObject({
      ...{ stdout: '751 1000\nx\n', stderr: '', code: 0 },
    });
  });
});
