import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CarrierProcess, makePlace } from '../../shim/native/test/carrier-process.ts';
import { InitProcess } from '../../shim/native/test/init-process.ts';
import { ShimBench } from '../../shim/native/test/shim-process.ts';
import { besideBundle } from '../../src/cli/beside-bundle.ts';
import { FrameType } from '../../src/wire/frames.ts';
import { attempt, run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { waitUntil } from '../lab/wait.ts';
import { freePorts } from '../stack/free-port.ts';
import { startProgram } from '../stack/program.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const minutes = 60_000;

let installed: InstalledPackage;

beforeAll(async () => {
  installed = await installPackage(...(isLong ? [] : ['--own']));
}, 25 * minutes);

afterAll(() => installed?.[Symbol.asyncDispose]());

const inPackage = (...path: string[]) => installed.file(...path);

test('`npx clawrden` runs the command line and a gateway', async () => {
  // npx is npm's, which needs the PATH of this machine.
  const { folder } = installed;
  const npx = (...args: string[]) =>
    attempt(['npx', 'clawrden', ...args], { cwd: folder, env: { ...process.env, HOME: folder } });
  const version = (await installed.clawrden(['--version'])).stdout;
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await npx('--version')).toMatchObject({ code: 0, stdout: version });
  const state = join(folder, 'by-npx');
  expect(await npx('init', '--dir', state, '--name', 'localhost')).toMatchObject({ code: 0, stderr: '' });
  const config = join(state, 'gateway.yaml');
  const [grpc, enroll, http] = (await freePorts(3)).map((port) => ({ listen: `127.0.0.1:${port}` }));
  const text = { ...parse(await readFile(config, 'utf8')), grpc, enroll, http, hosts: [] };
  await writeFile(config, stringify(text));
  const script = 'cd "$0" && exec npx clawrden gateway --config "$1"';
  const log = join(folder, 'npx.log');
  const gateway = await startProgram({ argv: ['sh', '-c', script, folder, config], log });
  // As ^C at a terminal does: npx passes no signal on.
  process.kill(-gateway.pid, 'SIGINT');
  const stopped = async () => (await readFile(log, 'utf8')).includes('"msg":"stopped"');
  await waitUntil('the end of the gateway', minutes, stopped);
});

test('npm installs what the bundle needs beside it and the client needs, and nothing else for us', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
  expect(Object.keys(dependencies).toSorted()).toEqual([...besideBundle, 'zod'].toSorted());
  expect(devDependencies).toBeUndefined();
  expect(existsSync(join(installed.folder, 'node_modules/fastify'))).toBe(false);
});

test('it holds what it needs and nothing of a checkout; what is not ours stands with its licence', async () => {
  const entries = readdirSync(inPackage());
  expect(entries.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'build',
    'package.json',
    'policy.yaml',
    'proto',
    'scripts',
    'systemd',
    'tools',
  ]);
  expect(existsSync(inPackage('build/dashboard/index.html'))).toBe(true);
  const tests = readdirSync(inPackage('build/src'), { recursive: true });
  expect(tests.filter((name) => String(name).includes('.test.'))).toEqual([]);
  expect(readdirSync(inPackage('scripts'))).toEqual(['install-clawrden.sh']);
  expect(readdirSync(inPackage('systemd')).toSorted()).toEqual([
    'clawrden-gateway.service',
    'clawrden-relay.service',
  ]);
  const native = `build/native-${process.arch}`;
  for (const name of [
    'clawrden-shim',
    'clawrden-init',
    'clawrden-connect',
    'clawrden-carrier',
    'peercred.node',
  ])
    expect(await digest(inPackage(native, name))).toBe(await digest(join(checkout, 'build/native', name)));
  const licences = await readFile(inPackage('build/programs/third-party-licenses.md'), 'utf8');
  for (const name of ['commander', 'fastify', 'zod', 'kysely']) expect(licences).toContain(name);
});

test('a program imports its client', async () => {
  const script = "import('clawrden/client').then((it) => console.log(typeof it.connect))";
  const said = await run([process.execPath, '-e', script], { cwd: installed.folder });
  expect(said.trim()).toBe('function');
});

/** Under emulation; building them takes minutes. */
describe.skipIf(!isLong || process.arch !== 'x64')('its programs for arm64', () => {
  const emulator = '/usr/bin/qemu-aarch64-static';
  const at = (name: string) => inPackage('build/native-arm64', name);

  test('the shim asks a relay, prints what it answers, and exits as it says', async () => {
    await using bench = new ShimBench({ name: 'static', shim: at('clawrden-shim'), init: '', connect: '' });
    await using relay = await bench.relay();
    const tool = bench.run([emulator, '-0', 'tool', join(bench.jail, 'tool'), 'a', 'b c']);
    const connection = await relay.next();
    const request = await connection.answer(0);
    expect(request).toMatchObject({ command: 'tool', args: ['a', 'b c'] });
    connection.send(FrameType.stdout, Buffer.from('hello\n'));
    connection.exit(7);
    expect(await tool.end()).toMatchObject({ code: 7, stdout: 'hello\n', stderr: '' });
  });

  test('the init runs a plan and tells its end', async () => {
    await using init = InitProcess.start(at('clawrden-init'), { script: 'echo out; exit 9' }, [emulator]);
    expect(await init.end()).toMatchObject({ code: 9, stdout: 'out\n', stderr: '' });
  });

  // The emulator has no openat2, without which a carrier opens no tree.
  test('the carrier understands a hello, and says that it cannot open the tree', async () => {
    using place = makePlace();
    const wrong = CarrierProcess.start(at('clawrden-carrier'), place, {}, [emulator]);
    await expect(wrong).rejects.toThrow('workspace-missing: it cannot be opened');
  });
});

async function digest(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
