import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { launcher } from '../stack/gateway-site.ts';
import { startProgram } from '../stack/program.ts';
import { startRealGateway } from './real-gateway.ts';

const patience = { timeout: 60_000 };

test('one edit of gateway.yaml makes an agent and takes it away, at a relay that was only enrolled', {
  timeout: 60_000,
}, async () => {
  await using gateway = await startRealGateway();
  const file = join(gateway.state, 'gateway.yaml');
  const edit = (change: (agents: { name: string }[]) => { name: string }[]) => {
    const text = parse(readFileSync(file, 'utf8')) as { agents: { name: string }[] };
    writeFileSync(
      file,
      stringify({ ...text, agents: change(text.agents) }, { aliasDuplicateObjects: false }),
    );
  };
  const config = join(gateway.relayFolder, 'relay.yaml');
  expect(readFileSync(config, 'utf8')).not.toContain('agents:');
  await using _ = await startProgram({
    argv: [process.execPath, launcher, 'relay', '--config', config],
    log: join(dirname(gateway.state), 'relay.log'),
  });
  const folder = (name: string) => join(gateway.relayFolder, 'state/agents', name);
  const jail = (name: string) => readdir(join(folder(name), 'bin')).catch(() => []);
  const isServed = (name: string) => existsSync(join(folder(name), 'socket/warden.sock'));
  expect([isServed('coder'), isServed('other'), isServed('third')]).toEqual([true, true, false]);
  edit((agents) => [...agents, { ...agents[0], name: 'third' }]);
  await expect.poll(() => jail('third'), patience).toEqual(expect.arrayContaining(['.init', '.shim', 'run']));
  expect(isServed('third')).toBe(true);
  const { stdout } = await gateway.cli('agents', '--json');
  expect(stdout).toContain('"third"');
  edit((agents) => agents.filter(({ name }) => name !== 'third'));
  await expect.poll(() => isServed('third'), patience).toBe(false);
  await expect.poll(() => jail('third'), patience).toEqual(['.init', '.shim']);
  expect(isServed('coder')).toBe(true);
});
