import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CarrierProcess, makePlace } from '../../shim/native/test/carrier-process.ts';
import { InitProcess } from '../../shim/native/test/init-process.ts';
import { ShimBench } from '../../shim/native/test/shim-process.ts';
import { FrameType } from '../../src/wire/frames.ts';
import { attempt, run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { freePorts } from '../stack/free-port.ts';
import { type Program, startProgram } from '../stack/program.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const minutes = 60_000;

let folder: string;
let command: string;
/** As on a machine without a compiler. */
const env = () => ({ PATH: join(folder, 'bin'), HOME: folder });
const clawrden = (...args: string[]) => attempt([command, ...args], { env: env(), timeout: minutes });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-package-'));
  const made = await run([join(checkout, 'scripts/package'), ...(isLong ? [] : ['--own'])], {
    timeout: 20 * minutes,
  });
  const tarball = join(checkout, made.trim());
  await mkdir(join(folder, 'bin'));
  for (const [name, file] of [
    ['node', process.execPath],
    ['sh', '/bin/sh'],
  ] as const)
    await run(['ln', '-s', file, join(folder, 'bin', name)]);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  // npm itself is no part of what is tried: it needs the PATH of this machine.
  await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional', tarball], {
    cwd: folder,
    timeout: 5 * minutes,
  });
  command = join(folder, 'node_modules/.bin/clawrden');
}, 25 * minutes);

afterAll(() => rm(folder, { recursive: true, force: true }));

const inPackage = (...path: string[]) => join(folder, 'node_modules/clawrden', ...path);

test('outside of the checkout, without a compiler, it runs a gateway that a relay enrols at', async () => {
  expect(await clawrden('--version')).toMatchObject({ code: 0, stderr: '' });
  const [grpc, enroll, http] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const state = join(folder, 'state');
  expect(await clawrden('init', '--dir', state, '--name', 'localhost')).toMatchObject({ code: 0 });
  const config = join(state, 'gateway.yaml');
  const agents = [{ name: 'coder', relay: 'here', users: ['1000:1000'], cwd: '/app' }];
  const ports = { agents, grpc: { listen: grpc }, enroll: { listen: enroll }, http: { listen: http } };
  await writeFile(config, stringify({ ...parse(await readFile(config, 'utf8')), ...ports }));
  await using _gateway = await start('gateway', '--config', config);
  const context = join(folder, 'context.yaml');
  await writeFile(context, `gateway: ${grpc}\nidentity: ${join(state, 'admin')}\n`);
  expect(await clawrden('--context', context, 'hosts', '--json')).toMatchObject({ code: 0 });
  const token = await clawrden(
    '--context',
    context,
    'token',
    'create',
    '--relay',
    'here',
    '--agent',
    'coder',
  );
  expect(token).toMatchObject({ code: 0 });
  const given = ['--token', token.stdout.trim(), '--gateway', enroll!, '--dir', join(folder, 'relay')];
  expect(await clawrden('relay', 'enroll', ...given)).toMatchObject({ code: 0 });
  expect(existsSync(inPackage('build/dashboard/index.html'))).toBe(true);
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
  expect(readdirSync(inPackage('scripts'))).toEqual(['install-clawrden.sh']);
  expect(readdirSync(inPackage('systemd')).toSorted()).toEqual([
    'clawrden-gateway.service',
    'clawrden-relay.service',
  ]);
  const native = `build/native-${process.arch}`;
  for (const name of ['clawrden-shim', 'clawrden-init', 'clawrden-connect', 'clawrden-carrier', 'peercred.node'])
    expect(await digest(inPackage(native, name))).toBe(await digest(join(checkout, 'build/native', name)));
  const licences = await readFile(inPackage('build/programs/third-party-licenses.md'), 'utf8');
  for (const name of ['commander', 'fastify', 'zod', 'kysely']) expect(licences).toContain(name);
});

test('a program imports its client', async () => {
  const script = "import('clawrden/client').then((it) => console.log(typeof it.connect))";
  const said = await run([process.execPath, '-e', script], { cwd: folder });
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

function start(...args: string[]): Promise<Program> {
  return startProgram({ argv: [command, ...args], log: join(folder, 'gateway.log'), env: env() });
}
