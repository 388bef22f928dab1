import { type KeyObject, randomUUID } from 'node:crypto';
import { errors, SignJWT } from 'jose';
import { z } from 'zod';
import type { SigningKeys } from '../keys/key-ring.ts';
import type { Checked, IssuedToken } from '../ports/authentication.ts';
import { type Principal, principalName, roles } from '../ports/principal.ts';
import { boundedCache } from './bounded-cache.ts';
import { isStrictToken } from './strict-token.ts';
import { verifySigned } from './verify-signed.ts';

/** The JWT of every call: the caller's name and role, and the client certificate to which it is bound. */
export interface SessionTokens {
  /** `fingerprint` is the `x5t#S256` of the certificate that the token is bound to. */
  readonly issue: (caller: Principal, fingerprint: string) => Promise<IssuedToken>;
  /** The name and role in a token that is valid now and bound to that certificate. */
  readonly verify: (token: string, fingerprint: string) => Promise<Checked<SessionClaims>>;
}

export interface SessionClaims {
  /** As `principalName` writes it. */
  readonly subject: string;
  readonly role: Principal['role'];
}

export interface SigningIdentity {
  readonly gatewayId: string;
  readonly keys: SigningKeys;
}

export const maxLifetimeSeconds = 600;
export const skewSeconds = 30;
export const algorithm = 'EdDSA';
const type = 'clawrden-session';
const audience = 'clawrden';
const maxTokenBytes = 2048;
const maxCached = 4096;
const invalid = 'the token is not valid';
const expired = 'the token has expired; are the clocks right?';

const claims = z.strictObject({
  iss: z.string(),
  // Exactly one audience, as a string: a token that is also for others is not ours.
  aud: z.literal(audience),
  sub: z.string(),
  role: z.enum(roles),
  iat: z.int(),
  nbf: z.int(),
  exp: z.int(),
  jti: z.string().min(1),
  cnf: z.strictObject({ 'x5t#S256': z.string() }),
});

type Claims = z.infer<typeof claims>;

interface Verified extends Claims {
  /** What it signed counts only until the key is rotated out. */
  readonly key: KeyObject;
  /** On the monotonic clock: a wall clock that is set back makes no token live longer. */
  readonly until: number;
}

export function createSessionTokens({ gatewayId, keys }: SigningIdentity): SessionTokens {
  const issuer = issuerOf(gatewayId);
  // A good signature stays good, and its verification costs more than everything else in a call.
  const verified = boundedCache<Verified>(maxCached);

  async function read(token: string): Promise<Verified> {
    const { payload, protectedHeader, key } = await verifySigned(token, keys, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      audience,
      clockTolerance: skewSeconds,
      maxTokenAge: maxLifetimeSeconds,
    });
    // No `kid`, `jku`, `x5u`, `jwk`: a token must not say how it is checked.
    z.strictObject({ alg: z.string(), typ: z.string() }).parse(protectedHeader);
    const good = claims.parse(payload);
    return { ...good, key, until: performance.now() + leftMs(good.exp) };
  }

  return {
    issue: async (caller, fingerprint) => {
      // Only once, because a second later it would live too long.
      const now = Math.floor(Date.now() / 1000);
      const token = await new SignJWT({ role: caller.role, cnf: { 'x5t#S256': fingerprint } })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(principalName(caller))
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + maxLifetimeSeconds)
        .setJti(randomUUID())
        .sign(keys.present());
      return { token, expiresIn: maxLifetimeSeconds };
    },
    verify: async (token, fingerprint) => {
      if (token.length > maxTokenBytes) return { refused: 'the token is too long' };
      if (!isStrictToken(token)) return { refused: invalid };
      try {
        const good = verified.get(token) ?? verified.add(token, await read(token));
        const { sub, role, iat, exp, cnf, key, until } = good;
        if (!keys.accepts(key)) return { refused: invalid };
        if (leftMs(exp) < 0 || performance.now() > until) return { refused: expired };
        if (exp - iat > maxLifetimeSeconds) return { refused: 'the token lives too long' };
        if (cnf['x5t#S256'] !== fingerprint) return { refused: 'the token is bound to another certificate' };
        return { value: { subject: sub, role } };
      } catch (error) {
        return { refused: describeTokenError(error) };
      }
    },
  };
}

/** Until that second of the wall clock, and the skew after it. */
function leftMs(second: number): number {
  return (second + skewSeconds) * 1000 - Date.now();
}

export function issuerOf(gatewayId: string): string {
  return `clawrden:${gatewayId}`;
}

export function describeTokenError(error: unknown): string {
  if (error instanceof errors.JWTExpired) return expired;
  if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed')
    return `the token's ${error.claim} is not acceptable; are the clocks right?`;
  return invalid;
}
