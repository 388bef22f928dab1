import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import type { Authorities } from '../keys/authorities.ts';
import type { Checked } from '../ports/authentication.ts';
import {
  algorithm,
  describeTokenError,
  issuerOf,
  type SigningIdentity,
  skewSeconds,
} from './session-token.ts';
import { isStrictToken } from './strict-token.ts';
import { verifySigned } from './verify-signed.ts';

/** Who may get a certificate, once, with what was made for that. */
export type Invited =
  | { readonly kind: 'relay'; readonly name: string; readonly agents: readonly string[] }
  | { readonly kind: 'person' | 'program'; readonly name: string };

export interface Invitation {
  readonly id: string;
  readonly invited: Invited;
  /** How often who is invited had been revoked when it was made. */
  readonly epoch: number;
  /** Fingerprints of authorities: who enrols takes nothing without one of them. */
  readonly pins: readonly string[];
}

export type EnrolmentIdentity = SigningIdentity & { readonly authorities: Authorities };

// Both differ from those of session tokens, so that neither token can be used as the other.
const type = 'clawrden-enrolment';
const audience = 'clawrden-enrolment';
const maxTokenBytes = 4096;

const common = {
  iss: z.string(),
  aud: z.literal(audience),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().min(1),
  epoch: z.int(),
  /** The pin: the fingerprint of the authority that the doors show, for the machine that enrols. */
  ca: z.string(),
  /** The same of the one that they show later. */
  next: z.string().optional(),
};
const claims = z.union([
  z.strictObject({ ...common, relay: z.string(), agents: z.array(z.string()) }),
  z.strictObject({ ...common, person: z.string() }),
  z.strictObject({ ...common, program: z.string() }),
]);

/** Until `expires`, in seconds since 1970. */
export async function signInvitation(
  { invited, epoch }: Pick<Invitation, 'invited' | 'epoch'>,
  expires: number,
  { gatewayId, keys, authorities }: EnrolmentIdentity,
): Promise<{ readonly id: string; readonly token: string }> {
  const id = randomUUID();
  const { kind, name } = invited;
  const whom = kind === 'relay' ? { relay: name, agents: invited.agents } : { [kind]: name };
  const [ca, next] = authorities.pins();
  const token = await new SignJWT({ ...whom, epoch, ca, ...(next !== undefined && { next }) })
    .setProtectedHeader({ alg: algorithm, typ: type })
    .setIssuer(issuerOf(gatewayId))
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .setJti(id)
    .sign(keys.present());
  return { id, token };
}

export async function readInvitation(
  token: string,
  { gatewayId, keys }: SigningIdentity,
): Promise<Checked<Invitation>> {
  if (token.length > maxTokenBytes) return { refused: 'the token is too long' };
  if (!isStrictToken(token)) return { refused: 'the token is not valid' };
  try {
    const { payload } = await verifySigned(token, keys, {
      algorithms: [algorithm],
      typ: type,
      issuer: issuerOf(gatewayId),
      audience,
      clockTolerance: skewSeconds,
    });
    const read = claims.parse(payload);
    const pins = [read.ca, read.next ?? []].flat();
    return { value: { id: read.jti, invited: invitedBy(read), epoch: read.epoch, pins } };
  } catch (error) {
    return { refused: describeTokenError(error) };
  }
}

function invitedBy(read: z.infer<typeof claims>): Invited {
  if ('relay' in read) return { kind: 'relay', name: read.relay, agents: read.agents };
  if ('person' in read) return { kind: 'person', name: read.person };
  return { kind: 'program', name: read.program };
}
