import { existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { launcher } from '../stack/launcher.ts';
import { startProgram } from '../stack/program.ts';
import { startRealGateway } from './real-gateway.ts';

const patience = { timeout: 60_000 };

test('one command makes an agent and one takes it away, also the first and the last of a relay; nothing is started again', {
  timeout: 120_000,
}, async () => {
  await using gateway = await startRealGateway();
  const agents = async (...args: string[]) =>
    expect(await gateway.cli('agents', ...args, '--config', gateway.config)).toMatchObject({ code: 0 });
  const relays = async () => JSON.parse((await gateway.cli('relays', '--json')).stdout);
  await agents('remove', 'coder');
  await agents('remove', 'other');
  await using _ = await startProgram({
    argv: [process.execPath, launcher, 'relay', '--config', join(gateway.relayFolder, 'relay.yaml')],
    log: join(dirname(gateway.state), 'relay.log'),
  });
  const folder = (name: string) => join(gateway.relayFolder, 'state/agents', name);
  const jail = (name: string) => readdir(join(folder(name), 'bin')).catch(() => []);
  const isServed = (name: string) => existsSync(join(folder(name), 'socket/warden.sock'));
  const served = expect.arrayContaining(['.init', '.shim', 'run']);
  await expect.poll(relays, patience).toMatchObject([{ name: 'host-1', agents: 0, connected: true }]);
  await agents('add', 'first', '--relay', 'host-1');
  await expect.poll(() => jail('first'), patience).toEqual(served);
  expect(isServed('first')).toBe(true);
  const { ino } = await stat(join(folder('first'), 'socket'));
  await agents('add', 'second', '--relay', 'host-1');
  await expect.poll(() => jail('second'), patience).toEqual(served);
  await agents('remove', 'first');
  await expect.poll(() => isServed('first'), patience).toBe(false);
  await expect.poll(() => jail('first'), patience).toEqual(['.init', '.shim']);
  expect(isServed('second')).toBe(true);
  await agents('add', 'first', '--relay', 'host-1');
  await expect.poll(() => jail('first'), patience).toEqual(served);
  // A container that has the folder mounted is served again.
  expect((await stat(join(folder('first'), 'socket'))).ino).toBe(ino);
  expect(readFileSync(gateway.audit, 'utf8')).not.toContain('"type":"incident"');
});
