import type { PeerName } from '../../src/pki/peer-name.ts';
import type { Admission, Authentication, Checked } from '../ports/authentication.ts';
import { type Caller, callerName } from '../ports/caller.ts';
import { type AcceptedCertificate, acceptCertificate, type IsRevoked } from './certificate-check.ts';
import type { OperatorRole } from './gateway-identity.ts';
import { createSessionTokens, type SessionTokens, type SigningIdentity } from './session-token.ts';

export interface AuthenticationOptions {
  readonly identity: SigningIdentity & { readonly operators: ReadonlyMap<string, OperatorRole> };
  readonly isRevoked: IsRevoked;
  readonly onRevoked: Authentication['onRevoked'];
}

export function createAuthentication({
  identity,
  isRevoked,
  onRevoked,
}: AuthenticationOptions): Authentication {
  const tokens = createSessionTokens(identity);
  return {
    admit: (der) => {
      const accepted = acceptCertificate(der, isRevoked);
      if ('refused' in accepted) return accepted;
      const admission = admissionOf(accepted.value, identity.operators, tokens);
      const checked = admission.check();
      return 'refused' in checked ? checked : { value: admission };
    },
    onRevoked,
  };
}

function admissionOf(
  { peer, fingerprint, serial, problem }: AcceptedCertificate,
  operators: ReadonlyMap<string, OperatorRole>,
  tokens: SessionTokens,
): Admission {
  function check(): Checked<Caller> {
    const refused = problem();
    if (refused !== undefined) return { refused };
    const caller = toCaller(peer, operators);
    if (caller === undefined) return { refused: 'the certificate names an operator that is not known here' };
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
    check,
    issueToken: async () => {
      const checked = check();
      if ('refused' in checked) return checked;
      return ifStill({ value: await tokens.issue(checked.value, fingerprint) });
    },
    callerOf: async (token) => {
      const checked = check();
      if ('refused' in checked) return checked;
      const claims = await tokens.verify(token, fingerprint);
      if ('refused' in claims) return claims;
      const caller = checked.value;
      if (claims.value.subject !== callerName(caller)) return { refused: 'the token is for another caller' };
      // The gateway's own record decides: a token from before a change of it is refused.
      if (claims.value.role !== caller.role) return { refused: 'the token is for another role' };
      return ifStill({ value: caller });
    },
  };
}

function toCaller(peer: PeerName, operators: ReadonlyMap<string, OperatorRole>): Caller | undefined {
  if (peer.kind === 'relay') return { ...peer, role: 'relay' };
  const role = operators.get(peer.name);
  return role === undefined ? undefined : { ...peer, role };
}
