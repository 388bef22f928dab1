import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import { checkGateway } from '../../src/cli/set-up/doctor/check-gateway.ts';
import { checkGatewayFiles } from '../../src/cli/set-up/doctor/check-gateway-files.ts';
import { checkRelayFiles } from '../../src/cli/set-up/doctor/check-relay-files.ts';
import type { Finding } from '../../src/cli/set-up/doctor/finding.ts';
import type { HomeWorkspace } from '../../src/config/gateway-config.ts';
import { formatTold } from '../../src/config/told-agents.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { attempt, run } from '../lab/command.ts';
import { agentImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { forgeCertificate } from '../stack/forge-certificate.ts';
import { type GatewaySite, makeGatewaySite } from '../stack/gateway-site.ts';
import type { Program } from '../stack/program.ts';
import { agentUser, makeServedAgent, type ServedAgent } from '../stack/served-agent.ts';

const policy = `version: 1
default: deny
workspace: /app
tools:
  ls: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
rules: [{ name: t, tools: [ls], action: allow }]
complete: true
`;

const name = 'mistaken';
const nameless = 'clawrden-test-nameless:1';

describe.skipIf(!hasLab())('doctor, by mistakes that are planted', () => {
  let lab: Lab;
  let dir: string;
  let site: GatewaySite;
  let gateway: Program;
  let served: ServedAgent;
  let relayText: string;
  const undo: (() => Promise<unknown>)[] = [];
  const onAgents = (...args: string[]) => ['docker', '-H', `unix://${lab.agentHost.socket}`, ...args];

  beforeAll(async () => {
    lab = sharedLab();
    dir = await mkdtemp(join(tmpdir(), 'clawrden-mistakes-'));
    const [host] = lab.hosts;
    const hosts = [{ name: host?.name, engine: host?.url, tls: host?.tls }];
    const agents = [{ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' }];
    site = await makeGatewaySite(join(dir, 'warden'), { policy, keys: { hosts, agents } });
    gateway = await site.start();
    const identity = join(dir, 'relay/identity');
    await site.enrol(identity, await site.newToken('host-1', [name]));
    const gatewayKey = { gateway: site.grpcAddress, identity };
    served = await makeServedAgent(
      join(dir, 'relay'),
      `unix://${lab.agentHost.socket}`,
      { name },
      gatewayKey,
    );
    relayText = await readFile(served.relayYaml, 'utf8');
    await run(onAgents('run', '--name', 'dm-source', agentImage, 'rm', '/etc/passwd'));
    await run(onAgents('commit', '--change', 'CMD ["sleep", "infinity"]', 'dm-source', nameless));
  });
  afterEach(async () => {
    vi.useRealTimers();
    while (undo.length > 0) await undo.pop()?.();
  });
  afterAll(async () => {
    await attempt(onAgents('rm', '-fv', 'dm-source', 'dm-agent'));
    await attempt(onAgents('rmi', '-f', nameless));
    await served?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  /** As setup.md starts it, changed. */
  async function start(
    change: (line: readonly string[]) => readonly string[],
    image = agentImage,
  ): Promise<void> {
    const line = change([
      ...['--network=none', '--user=1000:1000', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
      '--cgroupns=private',
      ...[`--volume=${served.socketFolder}:/var/run/clawrden:ro`, `--volume=${served.jail}:/clawrden/bin:ro`],
      '--env=PATH=/clawrden/bin:/bin',
    ]);
    await run(onAgents('run', '-d', '--name=dm-agent', `--label=clawrden.agent=${name}`, ...line, image));
    undo.push(() => run(onAgents('rm', '-fv', 'dm-agent')));
  }

  const with_ = (...more: string[]) => start((line) => [...line, ...more]);
  const instead = (from: string, to: string) => start((line) => line.map((each) => each.replace(from, to)));
  const closed = () => start((line) => line);

  async function replace(file: string, text: string): Promise<void> {
    const before = await readFile(file);
    undo.push(() => writeFile(file, before));
    await writeFile(file, text);
  }
  const relayKeys = (keys: object) =>
    replace(served.relayYaml, stringify({ ...(parse(relayText) as object), ...keys }));
  const gatewayKeys = async (keys: object) =>
    await replace(
      site.config,
      stringify({ ...(parse(await readFile(site.config, 'utf8')) as object), ...keys }),
    );
  const told = (workspace: HomeWorkspace) =>
    replace(join(served.state, 'agents.json'), formatTold([{ name, users: [agentUser], workspace }]));
  const home = (source: string, entries = 1000): HomeWorkspace => ({
    ...{ kind: 'bind', source, target: '/app', excludes: [], conflicts: 'keep-agent' },
    limits: { ...defaultLimits, entries },
  });

  /** All that is not as it should be. */
  async function findings(locked: readonly string[] = ['npm']): Promise<Finding[]> {
    const all = [
      ...(await checkRelayFiles(served.relayYaml, locked)),
      ...(await checkGatewayFiles(site.config)),
      ...(await checkGateway(site.context)),
    ];
    // No relay runs.
    return all.filter(({ level, text }) => level !== 'ok' && text !== 'its relay is not connected');
  }

  test('finds nothing where there is none', async () => {
    await closed();
    // Until the gateway has reached its Docker host.
    await expect.poll(() => findings()).toEqual([]);
  });

  interface Mistake {
    readonly plant: () => Promise<void>;
    readonly found: RegExp;
    readonly locked?: readonly string[];
  }

  const mistakes: Readonly<Record<string, Mistake>> = {
    'the engine’s socket in the container': {
      plant: () => with_(`--volume=${lab.agentHost.socket}:/x.sock`),
      found: /it has a Docker socket/,
    },
    root: { plant: () => instead('--user=1000:1000', '--user=0'), found: /it runs as root/ },
    'the host’s network': {
      plant: () => instead('--network=none', '--network=host'),
      found: /it has a network \(host\)/,
    },
    'a capability': {
      plant: () => with_('--cap-add=NET_RAW'),
      found: /added capabilities \((CAP_)?NET_RAW\)/,
    },
    'a jail that can be written': {
      plant: () => instead('/clawrden/bin:ro', '/clawrden/bin'),
      found: /\/clawrden\/bin can be written/,
    },
    'the socket mounted as a file': {
      plant: () => instead(':/var/run/clawrden:ro', '/warden.sock:/var/run/clawrden/warden.sock:ro'),
      found: /warden.sock is mounted by itself/,
    },
    'another folder first on PATH': {
      plant: () => instead('PATH=/clawrden/bin:/bin', 'PATH=/bin:/clawrden/bin'),
      found: /PATH has \/bin before \/clawrden\/bin/,
    },
    'an original that is not locked': {
      plant: closed,
      locked: ['ghostly'],
      found: /not locked: \/bin\/ghostly/,
    },
    'a key that everybody reads': {
      plant: async () => {
        const key = join(dir, 'relay/identity/key.pem');
        undo.push(() => chmod(key, 0o600));
        await chmod(key, 0o644);
      },
      found: /key.pem can be read by others/,
    },
    'a certificate that has ended': {
      plant: async () => {
        const authority = {
          certificate: await readFile(join(site.state, 'ca.pem'), 'utf8'),
          key: await readFile(join(site.state, 'ca-key.pem'), 'utf8'),
        };
        const period = {
          notBefore: new Date(Date.now() - 7_200_000),
          notAfter: new Date(Date.now() - 3_600_000),
        };
        const forged = await forgeCertificate({
          authority,
          commonName: 'host-1',
          names: [],
          period,
        });
        await replace(join(dir, 'relay/identity/cert.pem'), forged.certificate);
      },
      found: /cert.pem expired on/,
    },
    'another name of the gateway': {
      plant: () => relayKeys({ gateway: site.grpcAddress.replace('127.0.0.1', '127.1') }),
      found: /shows a certificate of another name/,
    },
    'a clock that is wrong': {
      plant: async () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 }),
      found: /1\d\d s ahead of the gateway's/,
    },
    'an engine without TLS': {
      plant: () => gatewayKeys({ hosts: [{ name: 'open', engine: 'tcp://127.0.0.1:2375' }] }),
      found: /tls/,
    },
    'a policy that cannot be read': {
      plant: () => gatewayKeys({ policy: 'policy-that-is-elsewhere.yaml' }),
      found: /policy-that-is-elsewhere.yaml: cannot be read/,
    },
    'an image that is missing': {
      plant: () => replace(join(site.state, 'policy.yaml'), policy.replace('busybox:latest', 'gone:1')),
      found: /clawrden-lab\/gone:1/,
    },
    'an image without its user': {
      plant: () => start((line) => line, nameless),
      found: /no user 1000 in \/etc\/passwd/,
    },
    'a workspace that is missing': {
      plant: () => told(home(join(dir, 'gone'))),
      found: /gone: ENOENT/,
    },
    'a workspace with more folders than watches': {
      plant: async () => {
        await mkdir(join(dir, 'app'), { recursive: true });
        await told(home(join(dir, 'app'), 10_000_000));
      },
      found: /of inotify, and its workspaces up to 10000000 entries/,
    },
    'a disk that is nearly full': {
      plant: async () => {
        const full = join(dir, 'full');
        await mkdir(full, { recursive: true });
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', full]);
        undo.push(async () => void execFileSync('umount', [full]));
        await relayKeys({ state: full });
      },
      found: /[01] MiB free at .*full/,
    },
    'an agent of two relays': {
      plant: () =>
        relayKeys({
          agents: [
            { name: 'stray', socket: join(dir, 'stray/warden.sock'), container: 'dm-stray', users: ['1:1'] },
          ],
        }),
      found: /another relay may serve it/,
    },
  };

  test.each(allIfLong(Object.entries(mistakes), 7))(
    'finds %s, and says how to mend it',
    async (_what, mistake) => {
      const { plant, found, locked } = mistake;
      await plant();
      if ((await attempt(onAgents('inspect', 'dm-agent'))).code !== 0) await closed();
      const all = await findings(locked);
      const hits = all.filter(({ text, check }) => found.test(`${check}: ${text}`));
      expect(all.map(({ check, text }) => `${check}: ${text}`)).toContainEqual(expect.stringMatching(found));
      for (const { fix } of hits) expect(fix).toMatch(/\w{3}/);
    },
  );

  test('says which Docker network it does not try because the image is missing', async () => {
    const networks = 'networks: { net: { docker-network: bridge } }\ntools:\n';
    const far = `  far: { strategy: ghost, image: "clawrden-lab/gone:1", network: net }\nrules:`;
    const text = policy.replace('tools:\n', networks).replace('rules:', far);
    await replace(join(site.state, 'policy.yaml'), text);
    const all = await checkGatewayFiles(site.config);
    expect(all.filter(({ text: said }) => said.startsWith('network '))).toEqual([
      expect.objectContaining({
        level: 'warning',
        text: 'network bridge: what it leads to was not tried: this host lacks the image clawrden-lab/gone:1',
        fix: expect.stringContaining('pull clawrden-lab/gone:1'),
      }),
    ]);
  });

  test('they are twenty', () => {
    expect(Object.keys(mistakes)).toHaveLength(20);
  });
});
