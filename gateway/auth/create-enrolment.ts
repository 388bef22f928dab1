import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { type Credentials, validity } from '../../src/pki/authority.ts';
import { readRequestKey } from '../../src/pki/certificate-request.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import {
  issueClientCertificate,
  personCertificateDays,
  relayCertificateDays,
} from '../../src/pki/issue-certificate.ts';
import { isPeerName, type PeerName } from '../../src/pki/peer-name.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CredentialRecord } from '../audit/principal-records.ts';
import { recordedFirst } from '../control/lasting-change.ts';
import type { IssuedCertificate, Revocations } from '../control/revocations.ts';
import type {
  Admission,
  Certificate,
  Checked,
  Enrolled,
  Enrolment,
  NewToken,
} from '../ports/authentication.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { ApiTokens } from '../principals/api-tokens.ts';
import type { People } from '../principals/people.ts';
import { type EnrolmentTokens, tokenName } from '../store/enrolment-tokens.ts';
import {
  type EnrolmentIdentity,
  type Invitation,
  type Invited,
  readInvitation,
  signInvitation,
} from './enrolment-token.ts';
import { skewSeconds } from './session-token.ts';

export interface EnrolmentOptions {
  readonly identity: EnrolmentIdentity;
  /** The agents that the configuration binds to a relay; an empty list if it does not know the relay. */
  readonly agentsOf: (relay: string) => readonly string[];
  readonly people: Pick<People, 'noteLetIn'>;
  /** Until when a person may come in; undefined if there is no such person. */
  readonly findPerson: (name: string) => { readonly until: number | undefined } | undefined;
  readonly apiTokens: Pick<ApiTokens, 'programOf'>;
  readonly tokens: EnrolmentTokens;
  readonly revocations: Pick<Revocations, 'epochOf' | 'issued' | 'renewed'>;
  readonly audit: Pick<AuditLog, 'append'>;
}

const defaultTtlSeconds = 3600;
const maxTtlSeconds = 7 * 86_400;

export function createEnrolment(options: EnrolmentOptions): Enrolment {
  return {
    isOpen: options.tokens.areOut,
    createToken: (name, agents, ttl, by) => invite({ kind: 'relay', name, agents }, { ttl, by }, options),
    createCode: (invited, ttl, by) => invite(invited, { ttl, by }, options),
    enroll: async (token, request, from) => {
      const checked = await readInvitation(token, options.identity);
      return 'refused' in checked ? checked : await enroll(checked.value, { request, from }, options);
    },
    renew: (peer, request, admission) => renew(peer, request, admission, options),
    certify: (name, request, seen) => certify(name, request, seen, options),
  };
}

async function invite(
  invited: Invited,
  { ttl, by }: { readonly ttl: number; readonly by: Principal },
  options: EnrolmentOptions,
): Promise<Checked<NewToken>> {
  const problem = whyNotInvited(invited, options) ?? ttlProblem(ttl);
  if (problem !== undefined) return { refused: problem };
  const epoch = options.revocations.epochOf(principalName(invited));
  const expires = Math.floor(Date.now() / 1000) + (ttl === 0 ? defaultTtlSeconds : ttl);
  const { id, token } = await signInvitation({ invited, epoch }, expires, options.identity);
  const expiresAt = new Date(expires * 1000);
  const record: CredentialRecord = {
    ...{ type: 'credential', credential: 'enrolment-token', ...whom(invited), by: principalName(by) },
    ...{ from: '', id, fingerprint: '', until: expiresAt.toISOString() },
  };
  await recordedFirst(options.audit.append(record));
  await options.tokens.add(id, (expires + skewSeconds) * 1000);
  return { value: { token, expiresAt } };
}

async function enroll(
  { invited, id, epoch, pins }: Invitation,
  { request, from }: { readonly request: string; readonly from: string },
  options: EnrolmentOptions,
): Promise<Checked<Enrolled>> {
  const { revocations, tokens, audit, people } = options;
  const problem = whyNotInvited(invited, options);
  if (problem !== undefined) return { refused: problem };
  if (epoch !== revocations.epochOf(principalName(invited))) return { refused: tokenOver(invited) };
  const { authorities } = options.identity;
  // It is a client that compares the pins, and a thief's does not.
  if (!authorities.counts(pins))
    return { refused: 'the token is of an authority that does not count any more' };
  const key = await readRequestKey(request);
  if (key === undefined) return unusableRequest;
  const fresh = await issue(invited, epoch, key, options);
  const used = await tokens.use({
    ...{ id, ...fresh.certificate, certificate: fresh.answer.certificate },
    key: createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('base64url'),
  });
  if (used === 'revoked') return { refused: tokenOver(invited) };
  if (used === 'not-out') return usedBefore;
  const isAgain = used.certificate !== fresh.answer.certificate;
  const issued = isAgain ? described(invited, epoch, used.certificate, options) : fresh;
  // What was lost before a rotation stays lost: its authority ends with the overlap.
  if (isAgain && !authorities.signed(new X509Certificate(used.certificate)).isPresent) return usedBefore;
  await audit.append({ ...issued.record, ...whom(invited), by: tokenName(id), from });
  await tokens.answered(id);
  // It was recorded for that epoch, which may have ended meanwhile.
  if (!revocations.issued(issued.certificate)) return { refused: tokenOver(invited) };
  if (invited.kind === 'person') await people.noteLetIn(invited.name, true);
  const { agents } = whom(invited);
  const named = { relay: '', person: '', program: '', [invited.kind]: invited.name };
  return { value: { ...named, agents, ...issued.answer, authority: authorities.trustedBy(pins) } };
}

async function renew(
  peer: PeerName,
  request: string,
  admission: Pick<Admission, 'check' | 'since'>,
  options: EnrolmentOptions,
): Promise<Checked<Certificate>> {
  const { agentsOf, revocations, audit } = options;
  const { kind, name } = peer;
  const invited: Invited = kind === 'relay' ? { kind, name, agents: agentsOf(name) } : { kind, name };
  const problem = whyNotInvited(invited, options);
  if (problem !== undefined) return { refused: problem };
  // The epoch in which the caller's own certificate still counts: the two must match.
  const epoch = revocations.epochOf(principalName(peer));
  const checked = admission.check();
  if ('refused' in checked) return checked;
  const key = await readRequestKey(request);
  if (key === undefined) return unusableRequest;
  const issued = await issue(peer, epoch, key, options, admission.since);
  await audit.append({ ...issued.record, ...whom(invited), by: principalName(peer), from: '' });
  if (await revocations.renewed(issued.certificate)) return { value: issued.answer };
  return { refused: `the ${kind} ${name} was revoked` };
}

async function certify(
  name: string,
  request: string,
  { by, from }: { readonly by: string; readonly from: string },
  options: EnrolmentOptions,
): Promise<Checked<Certificate>> {
  const invited = { kind: 'person', name } as const;
  const problem = whyNotInvited(invited, options);
  if (problem !== undefined) return { refused: problem };
  const epoch = options.revocations.epochOf(principalName(invited));
  const key = await readRequestKey(request);
  if (key === undefined) return unusableRequest;
  const issued = await issue(invited, epoch, key, options);
  await options.audit.append({ ...issued.record, ...whom(invited), by, from });
  if (await options.revocations.renewed(issued.certificate)) return { value: issued.answer };
  return { refused: `the person ${name} was revoked` };
}

interface Issued {
  readonly certificate: IssuedCertificate;
  readonly record: Pick<CredentialRecord, 'type' | 'credential' | 'id' | 'fingerprint' | 'until'>;
  readonly answer: Certificate;
}

/** A certificate; it counts for nothing until it is recorded. `since`: of the one that it renews. */
async function issue(
  { kind, name }: PeerName,
  epoch: number,
  key: KeyObject,
  options: EnrolmentOptions,
  since?: number,
): Promise<Issued> {
  const until = kind === 'relay' ? undefined : knownAs({ kind, name }, options)?.until;
  const authority = options.identity.authorities.present();
  const certificate = await signedFor({ kind, name }, key, { since, until }, authority);
  return described({ kind, name }, epoch, certificate, options);
}

function described(
  { kind, name }: PeerName,
  epoch: number,
  certificate: string,
  { identity: { authorities } }: EnrolmentOptions,
): Issued {
  const { serialNumber: id, validToDate } = new X509Certificate(certificate);
  const fingerprint = fingerprintOfPem(certificate);
  return {
    certificate: { principal: principalName({ kind, name }), epoch, fingerprint },
    record: {
      ...{ type: 'credential', credential: 'certificate', id, fingerprint },
      until: validToDate.toISOString(),
    },
    answer: { certificate, authority: authorities.trusted() },
  };
}

/**
 * Not longer than its owner is known, and valid since the one that it renews was: if the clock is ahead now, it counts
 * once the clock is right, too. Not by more than a whole life, or each renewal would make the next one come sooner.
 */
async function signedFor(
  peer: PeerName,
  key: KeyObject,
  {
    since = Number.POSITIVE_INFINITY,
    until = Number.POSITIVE_INFINITY,
  }: { readonly since: number | undefined; readonly until: number | undefined },
  authority: Credentials,
): Promise<string> {
  const days = peer.kind === 'relay' ? relayCertificateDays : personCertificateDays;
  const now = Date.now();
  const usual = validity(days, now);
  const life = usual.notAfter.getTime() - now;
  const notBefore = new Date(Math.min(usual.notBefore.getTime(), Math.max(since, now - life)));
  const notAfter = new Date(Math.min(usual.notAfter.getTime(), until));
  return await issueClientCertificate(authority, peer, key, { notBefore, notAfter });
}

function whom(invited: Invited): Pick<CredentialRecord, 'principal' | 'agents'> {
  return { principal: principalName(invited), agents: invited.kind === 'relay' ? invited.agents : [] };
}

function tokenOver({ kind, name }: Invited): string {
  return `the token is older than the revocation of the ${kind} ${name}`;
}

const usedBefore = { refused: 'the token was used before' };
const unusableRequest = { refused: 'the certificate request is not one of an EC P-256 key' };

function whyNotInvited(invited: Invited, options: EnrolmentOptions): string | undefined {
  if (invited.kind === 'relay') return bindingProblem(invited.name, invited.agents, options.agentsOf);
  const { kind, name } = invited;
  return knownAs({ kind, name }, options) === undefined ? `there is no ${kind} ${name}` : undefined;
}

function knownAs(
  { kind, name }: { readonly kind: 'person' | 'program'; readonly name: string },
  { findPerson, apiTokens }: Pick<EnrolmentOptions, 'findPerson' | 'apiTokens'>,
): { readonly until: number | undefined } | undefined {
  return kind === 'person' ? findPerson(name) : apiTokens.programOf(name, 'isOver');
}

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
