import type { PeerName } from '../../src/pki/peer-name.ts';
import type { Authentication, Checked } from '../authentication.ts';
import { type Caller, callerName } from '../caller.ts';
import { type CheckedCertificate, certificateCheck, type IsRevoked } from './certificate-check.ts';
import type { OperatorRole } from './gateway-identity.ts';
import { createSessionTokens, type SigningIdentity } from './session-token.ts';

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
  const checkCertificate = certificateCheck(isRevoked);

  function check(der: Uint8Array): Checked<CheckedCertificate & { caller: Caller }> {
    const checked = checkCertificate(der);
    if ('refused' in checked) return checked;
    const caller = toCaller(checked.value.peer, identity.operators);
    if (caller === undefined) return { refused: 'the certificate names an operator that is not known here' };
    return { value: { ...checked.value, caller } };
  }

  return {
    peerOf: (der) => {
      const checked = check(der);
      return 'refused' in checked ? checked : { value: checked.value.peer };
    },
    issueToken: async (der) => {
      const checked = check(der);
      if ('refused' in checked) return checked;
      return { value: await tokens.issue(checked.value.caller, checked.value.fingerprint) };
    },
    callerOf: async (der, token) => {
      const checked = check(der);
      if ('refused' in checked) return checked;
      const { caller, fingerprint } = checked.value;
      const claims = await tokens.verify(token, fingerprint);
      if ('refused' in claims) return claims;
      if (claims.value.subject !== callerName(caller)) return { refused: 'the token is for another caller' };
      // The gateway's own record decides; a token made before it changed is not honoured.
      if (claims.value.role !== caller.role) return { refused: 'the token is for another role' };
      return { value: caller };
    },
    onRevoked,
  };
}

function toCaller(peer: PeerName, operators: ReadonlyMap<string, OperatorRole>): Caller | undefined {
  if (peer.kind === 'relay') return { ...peer, role: 'relay' };
  const role = operators.get(peer.name);
  return role === undefined ? undefined : { ...peer, role };
}
