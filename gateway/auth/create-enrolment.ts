import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Credentials } from '../../src/pki/authority.ts';
import { readRequestKey } from '../../src/pki/certificate-request.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { issueClientCertificate } from '../../src/pki/issue-certificate.ts';
import { isPeerName } from '../../src/pki/peer-name.ts';
import type { Checked, Enrolment, RelayCertificate } from '../authentication.ts';
import {
  algorithm,
  describeTokenError,
  issuerOf,
  type SigningIdentity,
  skewSeconds,
} from './session-token.ts';

export interface EnrolmentOptions {
  readonly identity: SigningIdentity & { readonly authority: Credentials };
  /** The agents that the configuration binds to a relay; none where it does not know the relay. */
  readonly agentsOf: (relay: string) => readonly string[];
  /**
   * Marks a token as used, for ever; false where it was used before. `expiresAt` is in epoch milliseconds: a record
   * older than that may be forgotten.
   */
  readonly spend: (tokenId: string, expiresAt: number) => Promise<boolean>;
  /** Epoch milliseconds, where the relay was revoked: older tokens enrol nobody. */
  readonly revokedAt: (relay: string) => number | undefined;
  /** On the disk, before the certificate leaves. */
  readonly issued: (fingerprint: string, relay: string) => Promise<void>;
}

// Both differ from those of session tokens, so that neither passes for the other.
const type = 'clawrden-enrolment';
const audience = 'clawrden-enrolment';
const defaultTtlSeconds = 3600;
const maxTtlSeconds = 7 * 86_400;
const maxTokenBytes = 4096;

const claims = z.strictObject({
  iss: z.string(),
  aud: z.literal(audience),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().min(1),
  relay: z.string(),
  agents: z.array(z.string()),
  /** The pin: the authority's fingerprint, for whoever enrols. */
  ca: z.string(),
});

type Claims = z.infer<typeof claims>;

export function createEnrolment(options: EnrolmentOptions): Enrolment {
  const { identity, agentsOf, spend, revokedAt } = options;
  const { authority, gatewayId, signingKey } = identity;
  const pin = fingerprintOfPem(authority.certificate);
  const publicKey = createPublicKey(signingKey);
  const issuer = issuerOf(gatewayId);

  async function read(token: string): Promise<Checked<Claims>> {
    if (token.length > maxTokenBytes) return { refused: 'the token is too long' };
    try {
      const { payload } = await jwtVerify(token, publicKey, {
        algorithms: [algorithm],
        typ: type,
        issuer,
        audience,
        clockTolerance: skewSeconds,
      });
      return { value: claims.parse(payload) };
    } catch (error) {
      return { refused: describeTokenError(error) };
    }
  }

  return {
    createToken: async (relay, agents, ttl) => {
      const problem = bindingProblem(relay, agents, agentsOf) ?? ttlProblem(ttl);
      if (problem !== undefined) return { refused: problem };
      const expires = Math.floor(Date.now() / 1000) + (ttl === 0 ? defaultTtlSeconds : ttl);
      const token = await new SignJWT({ relay, agents, ca: pin })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(Math.max(Math.floor(Date.now() / 1000), secondAfter(revokedAt(relay))))
        .setExpirationTime(expires)
        .setJti(randomUUID())
        .sign(signingKey);
      return { value: { token, expiresAt: new Date(expires * 1000) } };
    },
    enroll: async (token, request) => {
      const checked = await read(token);
      if ('refused' in checked) return checked;
      const { relay, agents, jti, iat, exp } = checked.value;
      const problem = bindingProblem(relay, agents, agentsOf) ?? ageProblem(relay, iat, revokedAt(relay));
      if (problem !== undefined) return { refused: problem };
      const key = await readRequestKey(request);
      if (key === undefined) return unusableRequest;
      if (!(await spend(jti, (exp + skewSeconds) * 1000))) return { refused: 'the token was used before' };
      return { value: { relay, agents, ...(await issue(relay, key, options)) } };
    },
    renew: (relay, request) => renew(relay, request, options),
  };
}

async function renew(
  relay: string,
  request: string,
  options: EnrolmentOptions,
): Promise<Checked<RelayCertificate>> {
  const problem = bindingProblem(relay, options.agentsOf(relay), options.agentsOf);
  if (problem !== undefined) return { refused: problem };
  const key = await readRequestKey(request);
  return key === undefined ? unusableRequest : { value: await issue(relay, key, options) };
}

async function issue(
  relay: string,
  key: KeyObject,
  { identity: { authority }, issued }: EnrolmentOptions,
): Promise<RelayCertificate> {
  const certificate = await issueClientCertificate(authority, { kind: 'relay', name: relay }, key);
  await issued(fingerprintOfPem(certificate), relay);
  return { certificate, authority: authority.certificate };
}

const unusableRequest = { refused: 'the certificate request is not one of an EC P-256 key' };

function bindingProblem(
  relay: string,
  agents: readonly string[],
  agentsOf: EnrolmentOptions['agentsOf'],
): string | undefined {
  const bound = agentsOf(relay);
  if (!isPeerName(relay) || bound.length === 0) return `no agent in gateway.yaml has the relay ${relay}`;
  if (agents.length === 0) return 'no agent is named';
  const other = agents.find((agent) => !bound.includes(agent));
  return other === undefined
    ? undefined
    : `the agent ${other} does not have the relay ${relay} in gateway.yaml`;
}

/** Tokens tell their age in whole seconds. */
function secondAfter(epochMs = -1000): number {
  return Math.floor(epochMs / 1000) + 1;
}

function ageProblem(relay: string, iat: number, revokedAt: number | undefined): string | undefined {
  if (iat >= secondAfter(revokedAt)) return undefined;
  return `the token is older than the revocation of the relay ${relay}`;
}

function ttlProblem(ttl: number): string | undefined {
  const acceptable = Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtlSeconds;
  return acceptable ? undefined : `a token lives 1 to ${maxTtlSeconds} seconds`;
}
