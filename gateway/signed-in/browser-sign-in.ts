import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { newSecret } from '../browsers/secret.ts';
import { addressKey } from '../connections/address-key.ts';
import type { Checked } from '../ports/authentication.ts';
import type { BrowserSessions, OpenedSession } from '../ports/browser-sessions.ts';
import { callbackPath } from '../ports/callback-path.ts';
import type { IdentityProvider, Provided, RedeemedCode } from '../ports/identity-provider.ts';
import type { TokenAdmission } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { type BegunBrowser, type LeavingBrowser, refusedHere } from '../ports/provider-sign-in.ts';
import type { SignedInPerson } from '../ports/signed-in.ts';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';
import type { Principals } from '../principals/open-principals.ts';
import { digestOf } from '../principals/token-text.ts';

export interface BrowserSignInParts {
  readonly provider: Pick<IdentityProvider, 'authorizationUrl'>;
  readonly sessions: Pick<BrowserSessions, 'open' | 'close'>;
  readonly principals: Pick<Principals, 'personOf' | 'revocations'>;
}

/** A browser is on its way to the provider and back. */
export interface BrowserSignIn {
  readonly begin: (leaving: LeavingBrowser, from: string) => Promise<Provided<BegunBrowser>>;
  /** What it began with, once; `returned` is the path and query that it came back to. */
  readonly take: (secret: string, returned: string) => TakenBack | undefined;
  /** In place of the session before, if there was one. */
  readonly open: (
    person: SignedInPerson,
    from: string,
    before: string | undefined,
  ) => Promise<Provided<OpenedSession>>;
}

export interface TakenBack extends RedeemedCode {
  /** The id of the session that the browser had when it left. */
  readonly session: string | undefined;
}

export const transactionMs = 600_000;
const transactionsAtMost = 10_000;

interface Transaction extends Omit<TakenBack, 'returned'> {
  readonly origin: string;
  /** The address, as it is counted. */
  readonly by: string;
  readonly life: Lifetime;
}

export function createBrowserSignIn(
  { provider, sessions, principals }: BrowserSignInParts,
  most = transactionsAtMost,
): BrowserSignIn {
  // By the digest of what the browser's cookie says, the oldest first.
  const transactions = new Map<string, Transaction>();
  return {
    begin: async ({ origin, session }, from) => {
      const [secret, state, nonce, verifier] = [newSecret(), newSecret(), newSecret(), newSecret()];
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const redirectUri = `${origin}${callbackPath}`;
      const url = await provider.authorizationUrl({ redirectUri, state, nonce, challenge });
      if ('refused' in url) return url;
      for (const [digest, { life }] of transactions) if (life.isOver()) transactions.delete(digest);
      if (transactions.size >= most) transactions.delete(oldestOfMost(transactions));
      const life = lifetime(Date.now() + transactionMs);
      transactions.set(digestOf(secret), {
        origin,
        by: addressKey(from),
        session,
        state,
        nonce,
        verifier,
        life,
      });
      return { value: { url: url.value, secret } };
    },
    take: (secret, returned) => {
      const digest = digestOf(secret);
      const begun = transactions.get(digest);
      transactions.delete(digest);
      if (begun === undefined || begun.life.isOver()) return undefined;
      const { origin, session, state, nonce, verifier } = begun;
      return { returned: new URL(returned, origin), session, state, nonce, verifier };
    },
    open: async ({ name, subject }, from, before) => {
      const admission = admissionOf(name, principals);
      if ('refused' in admission) return refusedHere(admission);
      const wanted = { admission: admission.value, by: `oidc:${subject}`, from };
      const value = await sessions.open(wanted);
      if (before !== undefined) sessions.close(before);
      return { value };
    },
  };
}

/** Of the address that has most, so that no address puts out what another began. */
function oldestOfMost(transactions: ReadonlyMap<string, Pick<Transaction, 'by'>>): string {
  const byAddress = Map.groupBy(transactions, ([, { by }]) => by);
  let most: readonly (readonly [digest: string, unknown])[] = [];
  for (const begun of byAddress.values()) if (begun.length > most.length) most = begun;
  return most[0]?.[0] ?? '';
}

/** Of who has just signed in; it ends with any change of the rights, and with a revocation. */
function admissionOf(
  name: string,
  { personOf, revocations }: BrowserSignInParts['principals'],
): Checked<TokenAdmission> {
  const principal = `person:${name}`;
  const epoch = revocations.epochOf(principal);
  const look = (when: 'isOver' | 'hasRunOut'): Checked<Principal> => {
    const rights = personOf(name, when);
    if (rights === undefined)
      return { refused: `${principalName({ kind: 'person', name })} is not known here` };
    if ('refused' in rights) return rights;
    return { value: { kind: 'person', name, ...rights } };
  };
  const first = look('isOver');
  if ('refused' in first) return first;
  const check = (): Checked<Principal> => {
    if (revocations.epochOf(principal) !== epoch) return { refused: 'the person was revoked; sign in again' };
    const now = look('hasRunOut');
    if ('refused' in now || isDeepStrictEqual(now.value, first.value)) return now;
    return { refused: 'what this person may do has changed; sign in again' };
  };
  return { value: { value: first.value, check } };
}
