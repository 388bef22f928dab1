import { isDeepStrictEqual } from 'node:util';
import type { PeerName } from '../../src/pki/peer-name.ts';
import type { Authorities } from '../keys/authorities.ts';
import type { Admission, Authentication, Checked } from '../ports/authentication.ts';
import { allAgents, type Principal, principalName } from '../ports/principal.ts';
import { type AcceptedCertificate, acceptCertificate, type IsRevoked } from './certificate-check.ts';
import { createSessionTokens, type SessionTokens, type SigningIdentity } from './session-token.ts';

export interface AuthenticationOptions {
  readonly identity: SigningIdentity;
  /** What the gateway's record says of a person now; undefined if it knows none of this name. */
  readonly personOf: PersonOf;
  /** The same of a program. */
  readonly programOf: ProgramOf;
  readonly isRevoked: IsRevoked;
  readonly onRevoked: Authentication['onRevoked'];
  readonly authorities: Pick<Authorities, 'signed'>;
  /** Calls it with who shows a certificate of the authority that signs now. */
  readonly onMoved?: (principal: string) => void;
  /** Calls it with who is given a token. */
  readonly onUsed?: (peer: PeerName) => void;
  /** Awaited before a call is served: what the record says of the peer may be too old to count. */
  readonly freshen?: (peer: PeerName) => Promise<void>;
}

/** `when`: for a caller that comes now, or for one that is here since it came. */
export type PersonOf = (
  name: string,
  when: 'isOver' | 'hasRunOut',
) => Pick<Principal, 'role' | 'scope' | 'also'> | { readonly refused: string } | undefined;

export type ProgramOf = (
  name: string,
  when: 'isOver' | 'hasRunOut',
) => { readonly right: Pick<Principal, 'role' | 'scope'> } | undefined;

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { isRevoked, onRevoked, authorities, onMoved } = options;
  const tokens = createSessionTokens(options.identity);
  return {
    admit: (der) => {
      const accepted = acceptCertificate(der, isRevoked, authorities.signed);
      if ('refused' in accepted) return accepted;
      const admission = admissionOf(accepted.value, options, tokens);
      const checked = admission.check();
      if ('refused' in checked) return checked;
      if (accepted.value.isPresent) onMoved?.(principalName(accepted.value.peer));
      return { value: admission };
    },
    onRevoked,
  };
}

function admissionOf(
  { peer, fingerprint, serial, since, problem }: AcceptedCertificate,
  options: AuthenticationOptions,
  tokens: SessionTokens,
): Admission {
  let admitted: Principal | undefined;

  function check(): Checked<Principal> {
    const refused = problem();
    if (refused !== undefined) return { refused };
    const caller = toPrincipal(peer, admitted ? 'hasRunOut' : 'isOver', options);
    if (caller === undefined)
      return { refused: `the certificate names a ${peer.kind} that is not known here` };
    if ('refused' in caller) return caller;
    admitted ??= caller;
    // What runs over the connection was let in with other rights.
    if (!isDeepStrictEqual(caller, admitted)) return { refused: `what this ${peer.kind} may do has changed` };
    return { value: caller };
  }

  /** The result of a request, if the certificate still counts: it may have been revoked meanwhile. */
  function ifStill<T>(value: Checked<T>): Checked<T> {
    const again = check();
    return 'refused' in again ? again : value;
  }

  return {
    peer,
    fingerprint,
    serial,
    since,
    check,
    issueToken: async () => {
      await options.freshen?.(peer);
      const checked = check();
      if ('refused' in checked) return checked;
      options.onUsed?.(peer);
      return ifStill({ value: await tokens.issue(checked.value, fingerprint) });
    },
    callerOf: async (token) => {
      await options.freshen?.(peer);
      const checked = check();
      if ('refused' in checked) return checked;
      const claims = await tokens.verify(token, fingerprint);
      if ('refused' in claims) return claims;
      const caller = checked.value;
      if (claims.value.subject !== principalName(caller))
        return { refused: 'the token is for another caller' };
      // The gateway's own record decides: a token from before a change of it is refused.
      if (claims.value.role !== caller.role) return { refused: 'the token is for another role' };
      return ifStill({ value: caller });
    },
  };
}

function toPrincipal(
  peer: PeerName,
  when: 'isOver' | 'hasRunOut',
  { personOf, programOf }: Pick<AuthenticationOptions, 'personOf' | 'programOf'>,
): Principal | { readonly refused: string } | undefined {
  if (peer.kind === 'relay') return { ...peer, role: 'relay', scope: allAgents };
  const known = peer.kind === 'person' ? personOf(peer.name, when) : programOf(peer.name, when)?.right;
  return known === undefined || 'refused' in known ? known : { ...peer, ...known };
}
