import { promises } from 'node:dns';
import { isIP } from 'node:net';
import { abortable } from '../abort.ts';
import { Gate } from '../gate.ts';
import { EgressError } from './egress-error.ts';
import { resolveName } from './resolve-name.ts';

type Find = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** By /etc/hosts, search domains and what else the machine asks. */
const askMachine: Find = async (name) =>
  (await promises.lookup(name, { all: true })).map(({ address }) => address);

/**
 * All addresses of a host of gateway.yaml. Engines are connected to by getaddrinfo(), tools' names are asked of DNS alone:
 * what either says counts.
 */
export function ownHostFinder(machine: Find = askMachine, dns: Find = resolveName): Find {
  // A look holds one of the few threads by which the audit is written, for as long as a server likes.
  const looks = new Gate(() => 1);
  return async (name, signal) => {
    if (isIP(name) !== 0) return [name];
    const look = looks.through(signal, () => machine(name, signal));
    const answers = await Promise.allSettled([abortable(look, signal), dns(name, signal)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return [...new Set(found)];
    throw new EgressError('unreachable', `${name} has no address`);
  };
}
