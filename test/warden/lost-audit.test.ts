import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { clawrden } from '../cli/clawrden.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly text: string;
  readonly fix: string;
}

async function doctor(gateway: RealGateway): Promise<Finding[]> {
  const config = join(gateway.state, 'gateway.yaml');
  const { stdout } = await clawrden(['doctor', '--config', config, '--context', gateway.context, '--json']);
  return (JSON.parse(stdout) as Finding[]).filter(({ check }) => check === 'audit');
}

async function warnings(gateway: RealGateway): Promise<readonly string[]> {
  const admin = await gateway.admin();
  const status = await admin.call(WardenServiceService.getStatus, {});
  admin.close();
  return status.warnings.filter((text) => /(^| )the audit /.test(text));
}

test('A-85 P25: an audit that is removed under a gateway, cut while it is down, or begun anew is told by status, doctor and verify, and work goes on', {
  timeout: 90_000,
}, async () => {
  await using gateway = await startRealGateway();
  const runOne = async () => {
    const relay = await gateway.relay();
    const command = newMirrored();
    await play(relay, command, { tool: 'run' }, gateway.audit);
    relay.close();
    return command;
  };
  expect(await runOne()).toMatchObject({ starts: 1, outcome: { code: 7 }, unaudited: [] });
  expect(await warnings(gateway)).toEqual([]);
  expect(await doctor(gateway)).toMatchObject([{ level: 'ok' }]);

  await rm(gateway.audit);
  await expect.poll(() => warnings(gateway)).toHaveLength(1);
  expect(await runOne()).toMatchObject({ starts: 1, outcome: { code: 7 }, unaudited: [] });
  const removed = { level: 'error', text: expect.stringContaining('removed or renamed') };
  await expect.poll(() => doctor(gateway)).toMatchObject([removed, { level: 'ok' }]);

  await gateway.end('SIGTERM');
  await truncate(gateway.audit, 400);
  const cut = expect.stringMatching(/ends at record \d+; record \d+ was written/);
  expect(await doctor(gateway)).toMatchObject([removed, { level: 'error', text: cut }]);
  const verified = await clawrden(['audit', 'verify', gateway.audit]);
  expect(verified).toMatchObject({ code: 1, stderr: expect.stringMatching(/^clawrden: audit: [^\n]+\n$/) });

  await writeFile(gateway.audit, '');
  await gateway.start();
  const gone = expect.stringMatching(/is gone; it went up to record \d+$/);
  expect(await warnings(gateway)).toEqual([removed.text, gone]);
  expect(await runOne()).toMatchObject({ starts: 1, outcome: { code: 7 }, unaudited: [] });

  await gateway.end('SIGTERM');
  await gateway.start();
  expect(await warnings(gateway)).toEqual([removed.text, gone]);
  const told = await doctor(gateway);
  expect(told).toMatchObject([removed, { level: 'error', text: gone }, { level: 'ok' }]);
  const [, notes = ''] = /move (\S+) away$/.exec(told[0]?.fix ?? '') ?? [];
  await rename(notes, `${notes}.seen`);
  expect(await warnings(gateway)).toEqual([]);
  expect(await doctor(gateway)).toMatchObject([{ level: 'ok' }]);
});
