import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type Docker from 'dockerode';
import type { EngineAddress } from '../../../gateway/docker/engine/connect.ts';
import { servingFlags } from '../../../src/cli/set-up/become.ts';
import { nativeFile } from '../../../src/native-file.ts';
import { makeAuthority } from '../../../src/pki/authority.ts';
import { issueClientCertificate, issueServerCertificate } from '../../../src/pki/issue-certificate.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { type BenchStack, benchImage } from '../bench-stack.ts';

export interface BareGatewayConfig {
  /** Certificates and keys, PEM. */
  readonly folder: string;
  readonly engine: EngineAddress;
  readonly body: Docker.ContainerCreateOptions;
  /** So many containers wait. */
  readonly waiting: number;
}

export interface BareRelayConfig {
  readonly folder: string;
  readonly port: number;
  readonly socket: string;
}

/** The chain of a command without any logic: the same programs in C, the same libraries, the same hops. */
export interface BareChain extends AsyncDisposable {
  /** The path in the agent's container. */
  readonly socket: string;
}

const label = 'clawrden-bench.bare';

/** Beside the stack of `bench`, on its first host and in its agent's workspace. */
export async function startBareChain({ lab, stack }: BenchStack): Promise<BareChain> {
  const [host] = lab.hosts;
  if (host === undefined) throw new Error('the lab has no host');
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-bare-'));
  await writeCertificates(folder);
  const engine = { name: host.name, engine: host.url, tls: host.tls };
  const gateway = await startProgram('gateway', { folder, engine, body: body(), waiting: 8 });
  const port = Number(await gateway.line());
  await gateway.line();
  const socket = join(stack.workspaceOf('coder'), '.bare/warden.sock');
  await mkdir(dirname(socket));
  const relay = await startProgram('relay', { folder, port, socket });
  await relay.line();
  return {
    socket: '/app/.bare/warden.sock',
    [Symbol.asyncDispose]: async () => {
      await Promise.all([relay.end(), gateway.end()]);
      const left = (await host.docker(['ps', '--all', '--quiet', '--filter', `label=${label}`])).stdout;
      const ids = left.split('\n').filter((id) => id !== '');
      if (ids.length > 0) await host.docker(['rm', '--force', ...ids]);
      await rm(folder, { recursive: true, force: true });
      await rm(dirname(socket), { recursive: true, force: true });
    },
  };
}

async function writeCertificates(folder: string): Promise<void> {
  const authority = await makeAuthority('Bare chain');
  const server = await issueServerCertificate(authority, ['localhost']);
  const key = makeKey();
  const peer = { kind: 'relay', name: 'bare' } as const;
  const files = {
    'ca.pem': authority.certificate,
    'server.pem': server.certificate,
    'server-key.pem': server.key,
    'client.pem': await issueClientCertificate(authority, peer, createPublicKey(key)),
    'client-key.pem': key,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

interface Program {
  readonly line: () => Promise<string>;
  readonly end: () => Promise<void>;
}

async function startProgram(
  name: 'gateway' | 'relay',
  config: BareGatewayConfig | BareRelayConfig,
): Promise<Program> {
  const file = join(import.meta.dirname, `${name}.ts`);
  const flags = servingFlags[name === 'gateway' ? 'gateway' : 'shim/relay'];
  const args = [...flags, file, JSON.stringify(config)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  if (child.stdout === null) throw new Error('no stdout');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the bare ${name} has ended`);
      return value;
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}

/** Like a ghost's, as far as that costs time. */
function body(): Docker.ContainerCreateOptions {
  const binds = [`${dirname(nativeFile('clawrden-init'))}:/.clawrden:ro`];
  const ways = {
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
  };
  return {
    ...{ Image: benchImage, Entrypoint: ['/.clawrden/clawrden-init'], Cmd: [], User: '1000:1000' },
    ...{ NetworkDisabled: true, Labels: { [label]: '' }, ...ways },
    HostConfig: {
      AutoRemove: true,
      Binds: binds,
      LogConfig: { Type: 'none', Config: {} },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
    },
  };
}
