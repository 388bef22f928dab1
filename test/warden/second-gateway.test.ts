import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { attempt, type CommandResult } from '../lab/command.ts';
import { freePorts } from '../stack/free-port.ts';
import { makeGatewaySite } from '../stack/gateway-site.ts';
import { launcher } from '../stack/launcher.ts';
import { startProgram } from '../stack/program.ts';

// Each test starts several gateways, which on a busy machine takes longer than the default.
vi.setConfig({ testTimeout: 60_000 });

let dir: string;
let state: string;
let log: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-second-'));
  state = join(dir, 'state');
  log = join(dir, 'gateway.log');
  await makeGatewaySite(state);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

interface Changes {
  readonly state?: string;
  readonly grpc?: string;
  readonly hosts?: readonly object[];
}

/** A gateway.yaml with its own ports, except for the given keys. */
async function writeConfig(file: string, changes: Changes): Promise<string> {
  const [grpc, enroll = '', listenHttp = ''] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const config = { grpc: changes.grpc ?? grpc, enroll };
  const http = { listen: listenHttp };
  const listen = { grpc: { listen: config.grpc }, enroll: { listen: config.enroll }, http };
  const where = { state: changes.state ?? state, policy: join(state, 'policy.yaml') };
  const audit = join(changes.state ?? state, 'audit.jsonl');
  await writeFile(file, stringify({ ...listen, ...where, audit, agents: [], hosts: changes.hosts ?? [] }));
  return file;
}

const argvOf = (config: string) => [process.execPath, launcher, 'gateway', '--config', config];

const start = (config: string): Promise<CommandResult> => attempt(argvOf(config), { timeout: 40_000 });

function expectOneLine({ code, stderr }: CommandResult, why: RegExp): void {
  expect({ code, line: stderr }).toEqual({ code: 1, line: expect.stringMatching(/^clawrden: [^\n]+\n$/) });
  expect(stderr).toMatch(why);
}

async function grpcOf(config: string): Promise<string> {
  return (parse(await readFile(config, 'utf8')) as { grpc: { listen: string } }).grpc.listen;
}

/** Counts connections: this test expects no request to an engine. */
async function silentEngine(): Promise<{ path: string; connected: () => number } & AsyncDisposable> {
  let count = 0;
  const path = join(dir, 'engine.sock');
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  }).listen(path);
  return { path, connected: () => count, [Symbol.asyncDispose]: async () => void server.close() };
}

test('A-87: of gateways that start on one state at the same moment one serves, each other ends with one line', async () => {
  const link = join(dir, 'link');
  await symlink(state, link);
  const configs = [
    join(state, 'gateway.yaml'),
    await writeConfig(join(dir, 'other-ports.yaml'), {}),
    await writeConfig(join(dir, 'by-link.yaml'), { state: link }),
  ];
  const started = configs.map((config) => startProgram({ argv: argvOf(config), log: `${config}.log` }));
  const results = await Promise.allSettled(started);
  const serving = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    expect(serving).toHaveLength(1);
    const pid = serving[0]?.pid;
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const text = `it ended: clawrden: gateway: another gateway uses the folder .* \\(pid ${pid}\\); stop it first\n`;
      expect((result.reason as Error).message).toMatch(new RegExp(`${text}$`));
    }
  } finally {
    await Promise.all(serving.map((program) => program.end('SIGTERM')));
  }
  expect((await verifyAudit([join(state, 'audit.jsonl')])).problem).toBeUndefined();
});

test('A-87: a second gateway writes nothing, binds nothing and speaks to no engine; after a kill of the first one it may', async () => {
  await using engine = await silentEngine();
  const hosts = [{ name: 'a', engine: `unix://${engine.path}` }];
  const config = join(state, 'gateway.yaml');
  const other = await writeConfig(join(dir, 'other.yaml'), { hosts });
  await using first = await startProgram({ argv: argvOf(config), log });
  const before = await readFile(join(state, 'audit.jsonl'), 'utf8');
  expectOneLine(await start(other), new RegExp(`\\(pid ${first.pid}\\); stop it first$`, 'm'));
  expect(await readFile(join(state, 'audit.jsonl'), 'utf8')).toBe(before);
  expect(engine.connected()).toBe(0);
  await first.end('SIGKILL');
  await using second = await startProgram({ argv: argvOf(other), log });
  expect(await second.end('SIGTERM')).toBe(0);
  expect((await verifyAudit([join(state, 'audit.jsonl')])).problem).toBeUndefined();
  expect(engine.connected()).toBeGreaterThan(0);
});

test('A-87: a copied state folder on the same port: the second ends before it writes or speaks to an engine', async () => {
  await using engine = await silentEngine();
  const config = join(state, 'gateway.yaml');
  const copy = join(dir, 'copy');
  await cp(state, copy, { recursive: true });
  const hosts = [{ name: 'a', engine: `unix://${engine.path}` }];
  const grpc = await grpcOf(config);
  const other = await writeConfig(join(dir, 'copy.yaml'), { state: copy, grpc, hosts });
  await using first = await startProgram({ argv: argvOf(config), log });
  expectOneLine(await start(other), new RegExp(`the address ${grpc} of grpc.listen is taken`));
  await expect(readFile(join(copy, 'audit.jsonl'))).rejects.toThrow('ENOENT');
  expect(engine.connected()).toBe(0);
  expect(await first.end('SIGTERM')).toBe(0);
});
