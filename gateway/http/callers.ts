import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { createCallBudget, TooSoon } from '../connections/call-budget.ts';
import type { Checked } from '../ports/authentication.ts';
import type { TokenAdmission, TokenAuthentication } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { permit } from '../principals/call-rules.ts';
import { HttpRefused } from './problem.ts';

/** Finds out who makes a request, and whether the table of roles gives it to them. */
export interface Callers {
  /** Only connections from the proxies count, if there are proxies. */
  readonly mayConnect: (address: string) => boolean;
  /** Throws HttpRefused or TooSoon if this caller may not make this call, or not now. */
  readonly admit: (request: IncomingMessage, call: string) => TokenAdmission;
}

const bearerPattern = /^Bearer ([\w.~+/-]{1,512}=*)$/i;

export function createCallers(
  tokens: TokenAuthentication,
  { trustProxy }: HttpConfig,
  perSecond: number,
): Callers {
  const proxies = new BlockList();
  for (const { address, prefix, family } of trustProxy) proxies.addSubnet(address, prefix, family);
  const asked = createCallBudget('answers', { atOnce: 2 * perSecond, perSecond });
  const isProxy = (address: string) => proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4');

  /** Behind a proxy, what the proxy says. */
  function addressOf({ socket, headers }: IncomingMessage): string {
    const direct = plainAddress(socket.remoteAddress ?? '');
    if (trustProxy.length === 0) return direct;
    const said = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops = said.map((hop) => plainAddress(hop.trim())).filter((hop) => hop !== '');
    // The nearest that is no proxy of ours: what stands before it anybody can write.
    return hops.findLast((hop) => !isProxy(hop)) ?? direct;
  }

  return {
    mayConnect: (address) => trustProxy.length === 0 || isProxy(plainAddress(address)),
    admit: (request, call) => {
      const token = bearerPattern.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined) throw unauthenticated('no bearer token');
      const admission = tokens.authenticateToken(token, addressOf(request));
      if ('refused' in admission) {
        if (admission.waitMs > 0) throw new TooSoon(admission.refused, admission.waitMs);
        throw unauthenticated(admission.refused);
      }
      asked.charge(principalName(admission.value));
      const permitted = permit(admission.value, call);
      if ('refused' in permitted) throw new HttpRefused(403, permitted.refused);
      return { value: permitted.value, check: () => permittedStill(admission.check(), call) };
    },
  };
}

function permittedStill(checked: Checked<Principal>, call: string): Checked<Principal> {
  return 'refused' in checked ? checked : permit(checked.value, call);
}

function unauthenticated(why: string): HttpRefused {
  return new HttpRefused(401, why, { 'www-authenticate': 'Bearer realm="clawrden"' });
}

/** An IPv4 address of a socket that listens for both, as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
