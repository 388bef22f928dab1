import { expect, test } from 'vitest';
import type { StatusView } from '../../gateway/ports/warden-api.ts';
import { packageVersion } from '../../src/package-version.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { clawrden, contextOf } from './clawrden.ts';

const own = packageVersion();
const refusing = 'relay host-9 of version \u001b[2J9 serves nothing, because this gateway is older';
const view: StatusView = {
  ...{ version: '0.0.9', policyHash: 'abc', startedAt: Date.parse('2026-11-21T08:00:00Z'), problem: '' },
  ...{ running: 3, queued: 2, pending: 1, warnings: [refusing, 'something else'], lockdown: true },
};
const relay = { name: 'host-7', agents: 1, connected: true, peer: '127.0.0.1:1', fingerprint: 'f' };
const relays = [
  { ...relay, version: '0.0.9', since: 1 },
  { ...relay, name: 'host-8', version: '0.0.8', since: 1 },
];

test('status says how the gateway is, and names what it warns of and what is of another version', async () => {
  await using gateway = await startTestGateway({
    warden: { status: () => view, relays: () => relays, agents: () => [], hosts: () => [] },
  });
  const context = await contextOf(gateway);
  const run = (...args: string[]) => clawrden(['--context', context, ...args]);
  const { code, stdout } = await run('status');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[\x20-\x7e\n]+$/);
  expect(stdout).toMatch(/^version +0\.0\.9$/m);
  expect(stdout).toMatch(/^commands +3 running, 2 queued, 1 waiting for a person$/m);
  expect(stdout).toMatch(/^lockdown +on: every agent is stopped$/m);
  const others = [
    `the gateway's version is 0.0.9, this command line's is ${own}`,
    "the gateway's version is 0.0.9, that of relay host-8 is 0.0.8",
  ];
  const unfolded = stdout.replaceAll(/\n +/g, ' ');
  for (const text of ['relay host-9 of version', 'something else', ...others])
    expect(unfolded).toContain(text);
  const json: unknown = JSON.parse((await run('status', '--json')).stdout);
  expect(json).toMatchObject({ version: '0.0.9', warnings: view.warnings, otherVersions: others });

  const doctor = await run('doctor', '--json');
  expect(doctor.code).toBe(1);
  const findings = JSON.parse(doctor.stdout) as { check: string; level: string; text: string }[];
  const found = (check: string) =>
    findings.filter((each) => each.check === check).map(({ level, text }) => `${level} ${text}`);
  expect(found('relay')).toEqual([expect.stringMatching(/^error relay host-9 of version/)]);
  expect(found('version')).toEqual(others.map((text) => `warning ${text}`));
});
