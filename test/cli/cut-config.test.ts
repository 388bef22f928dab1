import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attempt } from '../lab/command.ts';
import { freePorts } from '../stack/free-port.ts';
import { launcher } from '../stack/launcher.ts';
import { startProgram } from '../stack/program.ts';
import { clawrden } from './clawrden.ts';

let dir: string;
let config: string;
let whole: string;
let argv: string[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-cut-'));
  config = join(dir, 'gateway.yaml');
  argv = [process.execPath, launcher, 'gateway', '--config', config];
  await clawrden(['init', '--dir', dir], { HOME: dir });
  const [grpc, enroll, http] = await freePorts(3);
  whole = (await readFile(config, 'utf8'))
    .replace('0.0.0.0:8443', `127.0.0.1:${grpc}`)
    .replace('0.0.0.0:8444', `127.0.0.1:${enroll}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${http}`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const audit = () => readFile(join(dir, 'audit.jsonl'), 'utf8');
const note = () => join(dir, 'gateway-yaml-complete');

/** It starts with this file, and ends. */
async function starts(text: string): Promise<void> {
  await writeFile(config, text);
  await using gateway = await startProgram({ argv, log: join(dir, 'gateway.log') });
  expect(await gateway.end('SIGTERM')).toBe(0);
}

async function isRefused(text: string): Promise<void> {
  await writeFile(config, text);
  const before = await audit();
  const { code, stdout, stderr } = await attempt(argv, { timeout: 15_000 });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^clawrden: gateway: [^\n]+ it may be half-written, [^\n]+\n$/);
  expect(stderr).toContain(`remove ${note()}`);
  expect(await audit()).toBe(before);
}

const markless = (text: string) => text.replace(/^complete: true\n/m, '');
const cuts = (text: string) =>
  ['\nagents:', '\ncomplete:', 'true\n'].map((at) => text.slice(0, text.indexOf(at) + 1));

test('A-637 P8: a gateway.yaml that is cut between two starts is refused, unless an operator says that its end was taken away', async () => {
  // One that never had it is taken as it is.
  await starts(markless(whole));
  await starts(cuts(whole)[0] ?? '');
  await starts(whole);
  for (const cut of cuts(whole).slice(0, 2)) await isRefused(cut);
  await starts(whole);
  await isRefused(markless(whole));
  const doctor = await clawrden(['doctor', '--config', config], { HOME: dir });
  expect(`${doctor.stdout}${doctor.stderr}`).toContain('it may be half-written');
  await rm(note());
  await starts(markless(whole));
  await starts(markless(whole));
}, 120_000);

test('A-637 P8: a file that gets its end while the gateway runs is known to have had it', async () => {
  await rm(note(), { force: true });
  await writeFile(config, markless(whole));
  {
    await using gateway = await startProgram({ argv, log: join(dir, 'gateway.log') });
    await writeFile(config, whole);
    await expect.poll(() => readFile(note(), 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
    // As a machine without power does.
    await gateway.end('SIGKILL');
  }
  await isRefused(cuts(whole)[0] ?? '');
  await starts(whole);
}, 120_000);
