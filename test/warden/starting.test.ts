import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { start } from '../cli/clawrden.ts';
import { startRealGateway } from './real-gateway.ts';

const { getPolicy, listHosts } = WardenServiceService;

test('P8: files that change while the gateway starts are in force when it serves, and a SIGHUP meanwhile ends nothing', {
  timeout: 60_000,
}, async () => {
  await using gateway = await startRealGateway();
  await gateway.end('SIGTERM');
  const [policy, config] = [join(gateway.state, 'policy.yaml'), join(gateway.state, 'gateway.yaml')];
  const [rules, settings] = [readFileSync(policy, 'utf8'), readFileSync(config, 'utf8')];
  const starts = () => readFileSync(gateway.audit, 'utf8').split('"event":"start"').length;
  const before = starts();
  const child = start(['gateway', '--config', config]);
  const said: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => said.push(String(text)));
  await expect.poll(starts, { timeout: 30_000, interval: 1 }).toBeGreaterThan(before);
  child.kill('SIGHUP');
  let last = '';
  for (let count = 0; !said.join('').includes('"msg":"ready"'); count += 1) {
    last = rules.replace('approval:', `# ${count}\napproval:`);
    writeFileSync(policy, last);
    writeFileSync(
      config,
      settings.replace('hosts: []', `hosts: [{ name: late-${count}, engine: "unix:///nonexistent" }]`),
    );
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${said.join('')}`);
    // Several changes while it starts; more of them show nothing more.
    await sleep(20);
  }
  const admin = await gateway.admin();
  const inForce = async () => (await admin.call(getPolicy, {})).text;
  await expect.poll(inForce).toBe(last);
  const hosts = async () => (await admin.call(listHosts, { pageToken: '' })).hosts.map(({ name }) => name);
  await expect.poll(hosts).toEqual([expect.stringContaining('late-')]);
  admin.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(said.join('')).not.toContain('unforeseen');
});
