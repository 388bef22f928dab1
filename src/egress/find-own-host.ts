import { promises } from 'node:dns';
import { Gate } from '../gate.ts';
import type { Find } from './own-addresses.ts';
import { resolveKind } from './resolve-name.ts';

/** By /etc/hosts, search domains and what else the machine asks. */
const askMachine: Find = async (name) =>
  (await promises.lookup(name, { all: true })).map(({ address }) => address);

const askDns: readonly Find[] = [
  (name, signal) => resolveKind(name, 4, signal),
  (name, signal) => resolveKind(name, 6, signal),
];

/**
 * By whom hosts of gateway.yaml are found. Engines are connected to by getaddrinfo(), tools' names are asked of DNS alone:
 * what each says counts.
 */
export function ownHostFinders(machine: Find = askMachine, dns: readonly Find[] = askDns): readonly Find[] {
  // A look holds one of the few threads by which the audit is written, for as long as a server likes.
  const looks = new Gate(() => 1);
  return [(name, signal) => looks.through(signal, () => machine(name, signal)), ...dns];
}
