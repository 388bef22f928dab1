import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { attempt, type CommandResult } from '../lab/command.ts';
import { freePorts } from '../stack/free-port.ts';
import { launcher } from '../stack/launcher.ts';
import { startProgram } from '../stack/program.ts';
import { clawrden } from './clawrden.ts';

const isRoot = process.getuid?.() === 0;
// Root may read every file, unless that capability is dropped.
const plain = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

let dir: string;
let policy: string;
let argv: string[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-start-'));
  policy = join(dir, 'policy.yaml');
  const config = join(dir, 'gateway.yaml');
  argv = [...plain, process.execPath, launcher, 'gateway', '--config', config];
  await clawrden(['init', '--dir', dir], { HOME: dir });
  const text = await readFile(config, 'utf8');
  const [grpc, enroll, http] = await freePorts(3);
  const here = text
    .replace('0.0.0.0:8443', `127.0.0.1:${grpc}`)
    .replace('0.0.0.0:8444', `127.0.0.1:${enroll}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${http}`);
  await writeFile(config, here);
});
beforeEach(() => rm(policy, { recursive: true, force: true }));
afterAll(() => rm(dir, { recursive: true, force: true }));

const valid = 'version: 1\ndefault: deny\ncomplete: true\n';

function startGateway(): Promise<CommandResult> {
  return attempt(argv, { timeout: 15_000 });
}

test.each([
  ['no file', () => Promise.resolve(), 'there is no such file'],
  ['an empty file', () => writeFile(policy, ''), ''],
  ['nothing but comments', () => writeFile(policy, '# version: 1\n# default: deny\n'), ''],
  ['a folder', () => mkdir(policy), 'it is not a regular file'],
  ['a file that nobody may read', () => writeFile(policy, valid, { mode: 0 }), 'permission is denied'],
  ['half a file', () => writeFile(policy, valid.replace('complete: true\n', '')), 'half-written'],
])('A-36 P8 a gateway whose policy is %s does not start', async (_what, make, why) => {
  await make();
  const { code, stdout, stderr } = await startGateway();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^clawrden: gateway: [^\n]+\n$/);
  expect(stderr).toContain(policy);
  expect(stderr).toContain(why);
  await expect(access(join(dir, 'audit.jsonl'))).rejects.toThrow('ENOENT');
});

test('A-36 with a policy it starts', async () => {
  await writeFile(policy, valid);
  await chmod(policy, 0o600);
  await using gateway = await startProgram({ argv, log: join(dir, 'gateway.log') });
  expect(await gateway.end('SIGTERM')).toBe(0);
});
