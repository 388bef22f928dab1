import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Execute } from '../../gateway/execute.ts';
import type { RelayState } from '../../gateway/ports/relay-state.ts';
import { type GatewayOptions, relay, startTestGateway, type TestGateway } from '../grpc/gateway.ts';
import { attempt } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { relayProgram } from '../stack/launcher.ts';
import { type Program, startProgram } from '../stack/program.ts';
import { version0 } from './requests.ts';
import { accepted, untilGone } from './scripted.ts';
import { ShimClient } from './shim-client.ts';

const addon = join(checkout, 'build/native/peercred.node');
const patience = { timeout: 60_000 };
const isRoot = process.geteuid?.() === 0;

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-relay-'));
});

afterEach(() => rm(dir, { recursive: true }));

interface Host extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly program: Program;
  readonly jail: string;
}

const socketOf = () => join(dir, 'sockets/coder/warden.sock');

async function writeConfig(gateway: TestGateway, more: object = {}): Promise<string> {
  const file = join(dir, 'relay.yaml');
  const agents = [
    { name: 'coder', socket: 'sockets/coder/warden.sock', container: 'none', users: ['1000:1000'] },
  ];
  const identity = await gateway.identity(relay);
  await writeFile(file, stringify({ gateway: gateway.address, identity, state: 'state', agents, ...more }));
  return file;
}

async function startHost(options: GatewayOptions = {}, under: readonly string[] = []): Promise<Host> {
  const gateway = await startTestGateway(options);
  const file = await writeConfig(gateway, { docker: `unix://${dir}/no-docker.sock` });
  const program = await startMain(file, under);
  return {
    gateway,
    program,
    jail: join(dir, 'state/jails/coder'),
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

const startMain = (file: string, under: readonly string[] = []) =>
  startProgram({
    argv: [...under, process.execPath, relayProgram, '--config', file],
    log: join(dir, 'relay.log'),
  });

/** Runs a program like the agent: as uid 1000, with only the socket's folder and the jail visible. */
function asAgent(jail: string, script: string) {
  const mounts = `mount -t tmpfs none /mnt && mkdir /mnt/run /mnt/bin && mount --bind ${join(dir, 'sockets/coder')} /mnt/run &&
    mount --bind ${jail} /mnt/bin && cd / && CLAWRDEN_SOCKET=/mnt/run/warden.sock PATH=/mnt/bin:$PATH`;
  const become = 'setpriv --reuid 1000 --regid 1000 --clear-groups';
  return ['unshare', '-m', 'sh', '-c', `${mounts} ${become} sh -c '${script}'`];
}

const tools = (...names: string[]): RelayState => ({
  lockdown: false,
  agents: [{ name: 'coder', tools: names, paused: false, killed: false, users: [] }],
});

/** In namespaces of its own, where its name server takes every question and answers none. */
async function withoutAnswers(): Promise<string[]> {
  const names = join(dir, 'resolv.conf');
  await writeFile(names, 'nameserver 192.0.2.1\noptions timeout:3 attempts:1\n');
  const lines = [
    `mount --bind ${names} /etc/resolv.conf`,
    'ip link set lo up',
    'ip link add silent type veth peer name other',
    'ip address add 192.0.2.2/24 dev silent',
    'ip neighbour add 192.0.2.1 lladdr 02:00:00:00:00:01 dev silent',
    'ip link set silent up',
    'ip link set other up',
    'exec "$@"',
  ];
  return ['unshare', '-mn', 'sh', '-ec', lines.join('\n'), 'sh'];
}

describe.skipIf(!isRoot)('an agent host', () => {
  test('the static shim, under a tool’s name in the jail, as the agent’s user', async () => {
    const execute: Execute = async (_caller, { command, identity }, channel) => {
      expect(identity).toEqual({ uid: 1000, gid: 1000 });
      void channel.send(accepted);
      const said = `${command.tool} ${command.args.join(' ')}\n`;
      void channel.send({ type: 'stdout', bytes: Buffer.from(said) });
      return { kind: 'exited', code: 5, signal: 0 };
    };
    await using host = await startHost({ execute, state: () => tools('npm') });
    const { code, stdout } = await attempt(asAgent(host.jail, 'npm install x'));
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'npm install x\n' });
  });

  test('a tool that is added or removed is there or gone without a restart, also across the gateway’s', async () => {
    let state = tools('npm');
    await using host = await startHost({ state: () => state });
    expect(await readdir(host.jail)).toEqual(['.init', '.shim', 'npm']);
    state = tools('git');
    host.gateway.relays.tellAll();
    await expect.poll(() => readdir(host.jail), patience).toEqual(['.init', '.shim', 'git']);
    const agent = { name: 'coder', relay: relay.name } as never;
    expect(host.gateway.relays.report(agent)).toMatchObject({ tools: ['git'], containerRunning: false });
    state = tools('ls');
    await host.gateway.restart();
    await expect.poll(() => readdir(host.jail), patience).toEqual(['.init', '.shim', 'ls']);
  });

  test('TERM: no new commands, the running one ends well, and the relay with status 0', async () => {
    const started = Promise.withResolvers<() => void>();
    const execute: Execute = (_caller, _request, channel) => {
      void channel.send(accepted);
      return new Promise((resolve) => started.resolve(() => resolve({ kind: 'exited', code: 3, signal: 0 })));
    };
    await using host = await startHost({ execute, state: () => tools('ls') });
    const running = attempt(asAgent(host.jail, 'exec ls'));
    const end = await started.promise;
    const ended = host.program.end('SIGTERM');
    await expect.poll(() => readdir(join(dir, 'sockets/coder')), patience).toEqual([]);
    await new ShimClient(socketOf()).closed;
    end();
    expect(await running).toMatchObject({ code: 3 });
    expect(await ended).toBe(0);
  });

  test('a second TERM ends it at once', async () => {
    const started = Promise.withResolvers<void>();
    const execute: Execute = (_caller, _request, channel) => {
      void channel.send(accepted);
      started.resolve();
      return untilGone(channel);
    };
    await using host = await startHost({ execute, state: () => tools('ls') });
    const running = attempt(asAgent(host.jail, 'exec ls'));
    await started.promise;
    const ended = host.program.end('SIGTERM');
    await expect.poll(() => readdir(join(dir, 'sockets/coder')), patience).toEqual([]);
    host.program.signal('SIGTERM');
    expect(await ended).toBe(1);
    expect(await running).toMatchObject({ code: 125 });
  });

  test('a relay that was killed is replaced in the folder that is mounted, and a shim waits for it', async () => {
    await using host = await startHost({ state: () => tools('ls') });
    await host.program.end('SIGKILL');
    const agent = attempt(asAgent(host.jail, 'exec ls'));
    await using again = await startMain(join(dir, 'relay.yaml'));
    expect(await agent).toMatchObject({ code: 0, stderr: '' });
    expect(again.pid).not.toBe(host.program.pid);
  });

  test('out of descriptors it turns clients away, and serves when there are some again', async () => {
    await using host = await startHost({ state: () => tools('ls') }, ['prlimit', '--nofile=60:60']);
    const idle = Array.from({ length: 100 }, () => new ShimClient(socketOf()));
    await Promise.all(idle.slice(60).map((shim) => shim.until(() => !shim.socket.connecting)));
    for (const { socket } of idle) socket.destroy();
    expect(await attempt(asAgent(host.jail, 'exec ls'))).toMatchObject({ code: 0 });
  });

  test('A-14 without the addon it does not start, and says how to get it', async () => {
    await using gateway = await startTestGateway();
    const file = await writeConfig(gateway);
    const hide = `mount --bind /dev/null ${addon} && exec ${process.execPath} ${relayProgram} --config ${file}`;
    const { code, stderr } = await attempt(['unshare', '-m', 'sh', '-c', hide]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^clawrden: relay: the peer-credential addon .* make -C shim\/native\n$/);
  });

  test('whose name server answers nothing ends soon', patience, async () => {
    await using gateway = await startTestGateway();
    const file = await writeConfig(gateway, { gateway: 'gateway.example:9' });
    await using program = await startMain(file, await withoutAnswers());
    const began = performance.now();
    expect(await program.end('SIGTERM')).toBe(0);
    expect(performance.now() - began).toBeLessThan(8000);
  });
});

describe('a start that fails says why in one line', () => {
  async function start(file: string) {
    return await attempt([process.execPath, relayProgram, '--config', file]);
  }

  test('no identity', async () => {
    await using gateway = await startTestGateway();
    const { code, stderr } = await start(await writeConfig(gateway, { identity: 'nowhere' }));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^clawrden: relay: the identity in .*nowhere cannot be used: .*clawrden relay enroll\n$/,
    );
  });

  test('a socket where others may enter', async () => {
    await mkdir(join(dir, 'sockets'));
    await chmod(join(dir, 'sockets'), 0o755);
    await using gateway = await startTestGateway();
    const { code, stderr } = await start(await writeConfig(gateway));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^clawrden: relay: others may enter .*\n$/);
  });

  test('no file, and a wrong option', async () => {
    expect(await start(join(dir, 'none.yaml'))).toMatchObject({ code: 1 });
    expect(await attempt([process.execPath, relayProgram, '--confg', 'x'])).toMatchObject({ code: 2 });
  });

  test('another relay serves the same socket', async () => {
    await using host = await startHost();
    await using gateway = await startTestGateway();
    const { code, stderr } = await start(await writeConfig(gateway, { state: 'other-state' }));
    expect(code).toBe(1);
    expect(stderr).toContain('another relay serves');
    const shim = new ShimClient(socketOf()).request(version0);
    await shim.closed;
    expect(shim.output(2)).toMatch(/identity/);
    expect(host.program.pid).toBeGreaterThan(0);
  });

  test.each([
    ['state', { state: 'state' }],
    ['identity', { state: 'other-state' }],
  ])('A-87: another relay has the same %s: the second writes and removes nothing', async (_what, more) => {
    await using gateway = await startTestGateway();
    const file = await writeConfig(gateway);
    const { identity } = parse(await readFile(file, 'utf8')) as { identity: string };
    await using first = await startMain(file);
    const agents = [
      { name: 'coder', socket: 'other/coder/warden.sock', container: 'none', users: ['1000:1000'] },
    ];
    await writeConfig(gateway, { agents, ...more, ...(more.state === 'state' ? {} : { identity }) });
    const second = await start(file);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      new RegExp(
        `^clawrden: relay: another relay uses the folder .* \\(pid ${first.pid}\\); stop it first\n$`,
      ),
    );
    expect(await readdir(dir)).not.toContain('other');
    await first.end('SIGKILL');
    await using again = await startMain(file);
    expect(await again.end('SIGTERM')).toBe(0);
  });

  test('A-87: of relays that start on one identity at the same moment one serves', async () => {
    await using gateway = await startTestGateway();
    const file = await writeConfig(gateway);
    const argv = [process.execPath, relayProgram, '--config', file];
    const logs = ['a.log', 'b.log', 'c.log'].map((name) => join(dir, name));
    const started = await Promise.allSettled(logs.map((log) => startProgram({ argv, log })));
    const serving = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    try {
      expect(serving).toHaveLength(1);
    } finally {
      await Promise.all(serving.map((program) => program.end('SIGTERM')));
    }
  });
});
