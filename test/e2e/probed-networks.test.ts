import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkNetworks, dockerNetworks } from '../../src/cli/set-up/doctor/check-networks.ts';
import { probeLabel } from '../../src/cli/set-up/doctor/probe-network.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { run } from '../lab/command.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';

const [open, closed] = ['probed-open', 'probed-closed'];
const bridge = 'clawprobed';
const metadata = '169.254.169.254';
/** All that a probe tries beside the engines is an address of the host's own namespace: no packet leaves it. */
const addresses = [
  ...[metadata, '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'fd00:ec2::254',
];

/** Takes connections at an address, on the host. */
const listening = `require('node:net').createServer((socket) => socket.destroy())
  .listen(Number(process.argv[2]), process.argv[1], () => process.send('there'));
process.on('disconnect', () => process.exit());`;

describe.skipIf(!hasLab())('doctor tries what a Docker network leads to', () => {
  const host = () => sharedLab().hosts[0]!;
  const ip = async (...args: string[]) => await run(host().onNetwork(['ip', ...args]));
  /** Docker closes no way to the host's own addresses, also not for a network that is internal. */
  const iptables = async (how: '-I' | '-D') =>
    await run(host().onNetwork(['iptables', how, 'INPUT', '-i', bridge, '-j', 'DROP']));
  const engines = () => sharedLab().hosts.map(({ url, tls }) => ({ engine: url, tls }));
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    for (const address of addresses) await ip('address', 'add', address, 'dev', 'lo');
    await host().docker(['network', 'create', open]);
    const apart = ['--internal', '--opt', 'com.docker.network.bridge.enable_icc=false'];
    const named = ['--opt', `com.docker.network.bridge.name=${bridge}`];
    await host().docker(['network', 'create', ...apart, ...named, closed]);
    await iptables('-I');
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await iptables('-D');
    for (const network of [open, closed]) await host().docker(['network', 'rm', network]);
    for (const address of addresses) await ip('address', 'del', address, 'dev', 'lo');
  });

  async function listen(address: string, port: number): Promise<ChildProcess> {
    const [program = '', ...args] = host().onNetwork([
      process.execPath,
      '-e',
      listening,
      address,
      String(port),
    ]);
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    running.push(child);
    await once(child, 'message');
    return child;
  }

  async function check(network: string): Promise<string[]> {
    const result = parsePolicy(
      `version: 1
default: deny
networks: { net: { docker-network: ${network} } }
tools: { t: { strategy: ghost, image: "${busyboxImage}", network: net } }
rules: [{ name: all, tools: [t], action: allow }]
complete: true
`,
      'policy.yaml',
    );
    if (!('policy' in result)) throw new Error(result.problems.join());
    const found = await checkNetworks('host h', engines()[0]!, engines(), dockerNetworks(result.policy));
    return found.map(({ level, text }) => `${level} ${text}`);
  }

  const left = async () => (await host().docker(['ps', '-aq', '--filter', `label=${probeLabel}`])).stdout;

  test('A-263: says that an engine, ssh, the metadata service and other containers answer', async () => {
    const ssh = (
      await host().docker(['network', 'inspect', '-f', '{{(index .IPAM.Config 0).Gateway}}', open])
    ).stdout.trim();
    await listen(metadata, 80);
    await listen(ssh, 22);
    const [worst = '', ...rest] = await check(open);
    expect(worst).toMatch(/^error network probed-open: its containers reach .*engine /);
    expect(worst).toContain(`engine ${new URL(host().url).host}`);
    expect(worst).toContain(`metadata service ${metadata}:80`);
    expect(rest).toEqual([
      `warning network probed-open: its containers reach ssh ${ssh}:22`,
      'warning network probed-open: its containers reach each other, also those of other agents',
    ]);
    expect(await left()).toHaveLength(0);
  });

  test('A-263: says that nothing answers where nothing does', async () => {
    expect(await check(closed)).toEqual([
      expect.stringMatching(/^ok network probed-closed: of \d+ ports .* none answers$/),
    ]);
    expect(await left()).toHaveLength(0);
  });

  test('a network that is not there was not tried', async () => {
    expect(await check('probed-gone')).toEqual([
      expect.stringMatching(/^warning network probed-gone: what it leads to was not tried: /),
    ]);
    expect(await left()).toHaveLength(0);
  });
});
