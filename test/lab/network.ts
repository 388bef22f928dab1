import { rmdir } from 'node:fs/promises';
import { attempt, run } from './command.ts';
import { allHosts, type HostNames, type LabNames } from './names.ts';
import { endWires } from './wire.ts';

/** The lab's bridge, its way out of the machine, and a namespace with an address for every host. */
export async function makeNetwork(names: LabNames): Promise<void> {
  // Without its own address the bridge would take the changing address of a port.
  await run(['ip', 'link', 'add', names.bridge, 'address', names.bridgeMac, 'type', 'bridge']);
  await run(['ip', 'address', 'add', `${names.gateway}/24`, 'dev', names.bridge]);
  await run(['ip', 'link', 'set', names.bridge, 'up']);
  for (const rule of rules(names)) await run(['iptables', '-w', '-t', rule.table, '-I', ...rule.spec]);
  await Promise.all(allHosts(names).map((host) => joinHost(names, host)));
}

/** Removes everything that `makeNetwork` made, also after a failure half-way. Ignores missing parts. */
export async function removeNetwork(names: LabNames): Promise<void> {
  for (const namespace of await namespaces(names.id)) await removeNamespace(namespace, names.id);
  await endWires(names.id);
  for (const link of await links(names.id)) await attempt(['ip', 'link', 'delete', link]);
  for (const rule of rules(names)) {
    while ((await attempt(['iptables', '-w', '-t', rule.table, '-D', ...rule.spec])).code === 0);
  }
}

/** Two labs that start together may remove the same abandoned one. */
async function removeNamespace(namespace: string, id: string): Promise<void> {
  const { code, stderr } = await attempt(['ip', 'netns', 'delete', namespace]);
  if (code !== 0 && (await namespaces(id)).includes(namespace))
    throw new Error(`${namespace} cannot be deleted: ${stderr.trim()}`);
}

/** Removes the mount that the first namespace of a machine creates; does nothing while a namespace exists. */
export async function dropNamespaceFolder(): Promise<void> {
  await attempt(['umount', '/run/netns']);
  await rmdir('/run/netns').catch(() => {});
}

/** Names of the lab's network namespaces that exist. */
export async function namespaces(id: string): Promise<string[]> {
  const lines = (await run(['ip', 'netns', 'list'])).split('\n');
  return lines.map((line) => line.split(' ')[0] ?? '').filter((name) => name.startsWith(`clawrden-${id}-`));
}

/** Names of the lab's network interfaces that exist on the machine. */
export async function links(id: string): Promise<string[]> {
  const lines = (await run(['ip', '-o', 'link', 'show'])).split('\n');
  const names = lines.map((line) => /^\d+: ([^:@]+)/.exec(line)?.[1] ?? '');
  return names.filter((name) => name.startsWith(`clawrden-${id}`));
}

/** The machine's firewall rules that carry the lab's name. */
export async function firewallRules(id: string): Promise<string[]> {
  const tables = await Promise.all([
    run(['iptables', '-w', '-S']),
    run(['iptables', '-w', '-t', 'nat', '-S']),
  ]);
  return tables.flatMap((text) => text.split('\n')).filter((line) => line.includes(`clawrden-${id}`));
}

async function joinHost(names: LabNames, host: HostNames): Promise<void> {
  const inside = ['ip', '-n', host.namespace];
  await run(['ip', 'netns', 'add', host.namespace]);
  await run([
    'ip',
    'link',
    'add',
    host.link,
    'type',
    'veth',
    'peer',
    'name',
    'eth0',
    'netns',
    host.namespace,
  ]);
  await run(['ip', 'link', 'set', host.link, 'master', names.bridge, 'arp', 'off', 'up']);
  await run([...inside, 'address', 'add', `${host.address}/24`, 'dev', 'eth0']);
  await run([...inside, 'link', 'set', 'lo', 'up']);
  await run([...inside, 'link', 'set', 'eth0', 'up']);
  await run([...inside, 'route', 'add', 'default', 'via', names.gateway]);
}

interface Rule {
  readonly table: 'filter' | 'nat';
  readonly spec: readonly string[];
}

function rules(names: LabNames): Rule[] {
  const mark = ['-m', 'comment', '--comment', `clawrden-${names.id}`];
  const outside = ['!', '-d', names.subnet];
  return [
    { table: 'filter', spec: ['FORWARD', '-i', names.bridge, ...mark, '-j', 'ACCEPT'] },
    { table: 'filter', spec: ['FORWARD', '-o', names.bridge, ...mark, '-j', 'ACCEPT'] },
    { table: 'nat', spec: ['POSTROUTING', '-s', names.subnet, ...outside, ...mark, '-j', 'MASQUERADE'] },
  ];
}
