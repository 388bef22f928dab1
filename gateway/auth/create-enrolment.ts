import { createPublicKey, type KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Credentials } from '../../src/pki/authority.ts';
import { readRequestKey } from '../../src/pki/certificate-request.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { issueClientCertificate } from '../../src/pki/issue-certificate.ts';
import { isPeerName } from '../../src/pki/peer-name.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CredentialRecord } from '../audit/audit-record.ts';
import type { IssuedCertificate, Revocations } from '../control/revocations.ts';
import type {
  Admission,
  Checked,
  EnrolledRelay,
  Enrolment,
  NewToken,
  RelayCertificate,
} from '../ports/authentication.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { type EnrolmentTokens, tokenName } from '../store/enrolment-tokens.ts';
import {
  algorithm,
  describeTokenError,
  issuerOf,
  type SigningIdentity,
  skewSeconds,
} from './session-token.ts';
import { isStrictToken } from './strict-token.ts';

export interface EnrolmentOptions {
  readonly identity: SigningIdentity & { readonly authority: Credentials };
  /** The agents that the configuration binds to a relay; an empty list if it does not know the relay. */
  readonly agentsOf: (relay: string) => readonly string[];
  readonly tokens: EnrolmentTokens;
  readonly revocations: Pick<Revocations, 'epochOf' | 'issued' | 'renewed'>;
  readonly audit: Pick<AuditLog, 'append'>;
}

// Both differ from those of session tokens, so that neither token can be used as the other.
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
  /** How often the relay had been revoked when the token was made. */
  epoch: z.int(),
  agents: z.array(z.string()),
  /** The pin: the authority's fingerprint, for the machine that enrols. */
  ca: z.string(),
});

type Claims = z.infer<typeof claims>;

export function createEnrolment(options: EnrolmentOptions): Enrolment {
  const { gatewayId, signingKey } = options.identity;
  const publicKey = createPublicKey(signingKey);
  const issuer = issuerOf(gatewayId);

  async function read(token: string): Promise<Checked<Claims>> {
    if (token.length > maxTokenBytes) return { refused: 'the token is too long' };
    if (!isStrictToken(token)) return { refused: 'the token is not valid' };
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
    isOpen: options.tokens.areOut,
    createToken: (relay, agents, ttl, by) => createToken({ relay, agents, ttl, by }, options),
    enroll: async (token, request, from) => {
      const checked = await read(token);
      return 'refused' in checked ? checked : await enroll(checked.value, { request, from }, options);
    },
    renew: (relay, request, admission) => renew(relay, request, admission, options),
  };
}

interface WantedToken {
  readonly relay: string;
  readonly agents: readonly string[];
  readonly ttl: number;
  readonly by: Principal;
}

async function createToken(
  { relay, agents, ttl, by }: WantedToken,
  { identity, agentsOf, revocations, tokens, audit }: EnrolmentOptions,
): Promise<Checked<NewToken>> {
  const problem = bindingProblem(relay, agents, agentsOf) ?? ttlProblem(ttl);
  if (problem !== undefined) return { refused: problem };
  const epoch = revocations.epochOf(relay);
  const id = randomUUID();
  const expires = Math.floor(Date.now() / 1000) + (ttl === 0 ? defaultTtlSeconds : ttl);
  const pin = fingerprintOfPem(identity.authority.certificate);
  const token = await new SignJWT({ relay, epoch, agents, ca: pin })
    .setProtectedHeader({ alg: algorithm, typ: type })
    .setIssuer(issuerOf(identity.gatewayId))
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .setJti(id)
    .sign(identity.signingKey);
  const expiresAt = new Date(expires * 1000);
  await audit.append({
    ...{ type: 'credential', credential: 'enrolment-token', relay, agents, by: principalName(by), from: '' },
    ...{ id, fingerprint: '', until: expiresAt.toISOString() },
  });
  await tokens.add(id, (expires + skewSeconds) * 1000);
  return { value: { token, expiresAt } };
}

async function enroll(
  { relay, agents, jti, epoch }: Claims,
  { request, from }: { readonly request: string; readonly from: string },
  { identity: { authority }, agentsOf, revocations, tokens, audit }: EnrolmentOptions,
): Promise<Checked<EnrolledRelay>> {
  const problem = bindingProblem(relay, agents, agentsOf);
  if (problem !== undefined) return { refused: problem };
  if (epoch !== revocations.epochOf(relay)) return { refused: tokenOver(relay) };
  const key = await readRequestKey(request);
  if (key === undefined) return unusableRequest;
  const issued = await issue(relay, epoch, key, authority);
  const used = await tokens.use({ id: jti, ...issued.certificate });
  if (used === 'not-out') return { refused: 'the token was used before' };
  if (used === 'used') await audit.append({ ...issued.record, agents, by: tokenName(jti), from });
  // It was recorded for that epoch, which may have ended meanwhile.
  if (used === 'revoked' || !revocations.issued(issued.certificate)) return { refused: tokenOver(relay) };
  return { value: { relay, agents, ...issued.answer } };
}

async function renew(
  relay: string,
  request: string,
  admission: Pick<Admission, 'check'>,
  { identity: { authority }, agentsOf, revocations, audit }: EnrolmentOptions,
): Promise<Checked<RelayCertificate>> {
  const problem = bindingProblem(relay, agentsOf(relay), agentsOf);
  if (problem !== undefined) return { refused: problem };
  // The epoch in which the caller's own certificate still counts: the two must match.
  const epoch = revocations.epochOf(relay);
  const checked = admission.check();
  if ('refused' in checked) return checked;
  const key = await readRequestKey(request);
  if (key === undefined) return unusableRequest;
  const issued = await issue(relay, epoch, key, authority);
  await audit.append({ ...issued.record, agents: agentsOf(relay), by: `relay:${relay}`, from: '' });
  if (await revocations.renewed(issued.certificate)) return { value: issued.answer };
  return { refused: `the relay ${relay} was revoked` };
}

interface Issued {
  readonly certificate: IssuedCertificate;
  readonly record: Omit<CredentialRecord, 'agents' | 'by' | 'from'>;
  readonly answer: RelayCertificate;
}

/** A certificate; it counts for nothing until it is recorded. */
async function issue(relay: string, epoch: number, key: KeyObject, authority: Credentials): Promise<Issued> {
  const certificate = await issueClientCertificate(authority, { kind: 'relay', name: relay }, key);
  const { serialNumber: id, validToDate } = new X509Certificate(certificate);
  const fingerprint = fingerprintOfPem(certificate);
  const until = validToDate.toISOString();
  return {
    certificate: { relay, epoch, fingerprint },
    record: { type: 'credential', credential: 'certificate', relay, id, fingerprint, until },
    answer: { certificate, authority: authority.certificate },
  };
}

function tokenOver(relay: string): string {
  return `the token is older than the revocation of the relay ${relay}`;
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

function ttlProblem(ttl: number): string | undefined {
  const acceptable = Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtlSeconds;
  return acceptable ? undefined : `a token lives 1 to ${maxTtlSeconds} seconds`;
}
