import { EgressError } from '../../src/egress/egress-error.ts';
import { type Endpoint, endpointText, parseEndpoint } from '../../src/egress/endpoint.ts';
import { exchange } from './exchange.ts';
import { type ReachParts, reachDestination } from './reach-destination.ts';
import type { Asked } from './read-request.ts';
import type { Visit } from './visit.ts';

/** Absolute form: `GET http://HOST[:PORT]/PATH`. The target counts, whatever `Host` says. */
export async function forward(
  asked: Asked & { is: 'request' },
  visit: Visit,
  parts: ReachParts & { readonly idleMs: number },
): Promise<void> {
  const target = asked.request.url ?? '';
  visit.facts.to = target;
  const { endpoint, path } = readTarget(target);
  if (endpoint.port === 443)
    throw new EgressError('denied', `${endpointText(endpoint)}: only TLS is carried there`);
  const { socket } = await reachDestination(visit, endpoint, parts);
  const host = endpoint.port === 80 ? endpointText(endpoint).replace(/:80$/, '') : endpointText(endpoint);
  await exchange(asked, { socket, path, host, headers: [], keepsBack: () => false }, visit, parts.idleMs);
}

function readTarget(target: string): { readonly endpoint: Endpoint; readonly path: string } {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#\\]+)((?:[/?][^#]*)?)$/i.exec(target) ?? [];
  if (authority.includes('@')) throw new EgressError('invalid', 'a target with a user is refused');
  const endpoint = parseEndpoint(/:\d+$/.test(authority) ? authority : `${authority}:80`);
  if (endpoint === undefined) throw new EgressError('invalid', 'the target must be http://HOST[:PORT]/PATH');
  return { endpoint, path: rest.startsWith('/') ? rest : `/${rest}` };
}
