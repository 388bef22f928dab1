import { z } from 'zod';
import { endpointText } from '../../../egress/endpoint.ts';
import { architectureOf, processorOf } from '../../../engine-facts.ts';
import type { Policy } from '../../../policy/policy.ts';
import { askEngine, type EngineAddress } from './engine-request.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';
import { probeNetwork, type Reached } from './probe-network.ts';
import { type NamedTarget, probeTargets } from './probe-targets.ts';

/** What answers in each of these Docker networks, tried from a container of it on this host, by its image. */
export async function checkNetworks(
  check: string,
  host: EngineAddress,
  hosts: readonly EngineAddress[],
  networks: ReadonlyMap<string, string>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  // One after the other: each has two containers.
  for (const [network, image] of networks)
    found.push(...(await checkNetwork(check, host, hosts, { network, image })));
  return found;
}

/** Docker networks that a tool or a rule has, each with an image that can be started there. */
export function dockerNetworks(policy: Policy): ReadonlyMap<string, string> {
  const ghosts = [...policy.tools.values()].filter(({ strategy }) => strategy === 'ghost');
  const [some] = ghosts;
  const rules = policy.version === 1 ? policy.rules : [];
  const used = [
    ...ghosts.map(({ network, image }) => [network, image] as const),
    ...rules.map(({ overrides }) => [overrides?.network ?? 'none', overrides?.image ?? some?.image] as const),
  ];
  const first = used.filter(([network]) => network !== 'none').toReversed();
  return new Map(first.flatMap(([network, image]) => (image === undefined ? [] : [[network, image]])));
}

const facts = z.object({
  IPAM: z.object({ Config: z.array(z.object({ Gateway: z.string().optional() })).nullish() }).nullish(),
});

async function checkNetwork(
  check: string,
  host: EngineAddress,
  hosts: readonly EngineAddress[],
  { network, image }: { readonly network: string; readonly image: string },
): Promise<Finding[]> {
  try {
    const { IPAM } = facts.parse((await askEngine(host, `/networks/${network}`)).body);
    const gateways = (IPAM?.Config ?? []).flatMap(({ Gateway = '' }) => Gateway.split('/', 1));
    const targets = await probeTargets(
      gateways.filter((address) => address !== ''),
      hosts,
    );
    const processor = await askProcessor(host);
    return judgeReached(
      check,
      network,
      await probeNetwork(host, { network, image, processor }, targets),
      targets,
    );
  } catch (error) {
    const text = `network ${network}: what it leads to was not tried: ${messageOf(error)}`;
    return [doubtful(check, text, 'mend that, and run doctor again')];
  }
}

async function askProcessor(host: EngineAddress): Promise<string> {
  const { body } = await askEngine(host, '/info');
  const processor = processorOf(body);
  if (processor === undefined) throw new Error(`its processor is ${architectureOf(body)}`);
  return processor;
}

const instead = 'name what its tools need under allow in the policy, in place of docker-network';

export function judgeReached(
  check: string,
  network: string,
  { targets: reached, other }: Reached,
  targets: readonly NamedTarget[],
): Finding[] {
  const hits = targets.filter(({ address, port }) =>
    reached.some((hit) => hit.address === address && hit.port === port),
  );
  const listed = (whats: readonly string[]) =>
    hits
      .filter(({ what }) => whats.includes(what))
      .map(({ what, address, port }) => `${what} ${endpointText({ name: address, port })}`)
      .join(', ');
  const [worst, doubted] = [listed(['engine', 'metadata service']), listed(['ssh'])];
  const found = [
    ...(worst === ''
      ? []
      : [
          bad(
            check,
            `network ${network}: its containers reach ${worst}`,
            `${instead}, or drop that in the chain DOCKER-USER of this host`,
          ),
        ]),
    ...(doubted === ''
      ? []
      : [doubtful(check, `network ${network}: its containers reach ${doubted}`, instead)]),
    ...(other
      ? [
          doubtful(
            check,
            `network ${network}: its containers reach each other, also those of other agents`,
            `${instead}, or make it with --opt com.docker.network.bridge.enable_icc=false`,
          ),
        ]
      : []),
  ];
  if (found.length > 0) return found;
  const tried = `of ${targets.length} ports of engines, ssh and metadata services and of another container none answers`;
  return [good(check, `network ${network}: ${tried}`)];
}
