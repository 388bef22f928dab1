import { status } from '@grpc/grpc-js';
import {
  ApiToken,
  type CreateApiTokenRequest,
  type CreateApiTokenResponse,
  type CreateProgramCodeRequest,
  type CreateProgramCodeResponse,
  type LinkUserRequest,
  type LinkUserResponse,
  type ListApiTokensRequest,
  type ListApiTokensResponse,
  type ListUsersRequest,
  type ListUsersResponse,
  type RevokeRequest,
  type RotateApiTokenRequest,
  type SetUserRequest,
  type SetUserResponse,
  type UnlinkUserRequest,
  User,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { mostOverlapSeconds, mostTtlSeconds, tokenRoles } from '../../../src/principal-limits.ts';
import { byName } from '../../lists/create-lists.ts';
import type { Seal } from '../../lists/seal.ts';
import { toTime } from '../../lists/short-texts.ts';
import type { Checked, Enrolment } from '../../ports/authentication.ts';
import type {
  KnownLink,
  KnownToken,
  ListedPerson,
  PrincipalOperations,
} from '../../ports/known-principals.ts';
import { ladder, type Principal, principalKinds, principalName } from '../../ports/principal.ts';
import { describePerson } from '../../principals/describe-person.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { readLabels } from '../calls/read-labels.ts';
import { shapeOf } from './warden-lists.ts';

/** What admins ask for about who may call. */
export interface PrincipalCalls {
  readonly setUser: (request: SetUserRequest, by: Principal) => Promise<SetUserResponse>;
  readonly listUsers: (request: ListUsersRequest) => ListUsersResponse;
  readonly removeUser: (request: Named, by: Principal) => Promise<object>;
  readonly linkUser: (request: LinkUserRequest, by: Principal) => Promise<LinkUserResponse>;
  readonly unlinkUser: (request: UnlinkUserRequest, by: Principal) => Promise<object>;
  readonly createApiToken: (request: CreateApiTokenRequest, by: Principal) => Promise<CreateApiTokenResponse>;
  readonly listApiTokens: (request: ListApiTokensRequest) => ListApiTokensResponse;
  readonly rotateApiToken: (request: RotateApiTokenRequest, by: Principal) => Promise<CreateApiTokenResponse>;
  readonly removeApiToken: (request: Named, by: Principal) => Promise<object>;
  readonly createProgramCode: (
    request: CreateProgramCodeRequest,
    by: Principal,
  ) => Promise<CreateProgramCodeResponse>;
  readonly revoke: (request: RevokeRequest, by: Principal) => Promise<object>;
}

interface Named {
  readonly name: string;
  readonly reason: string;
}

export function principalCalls(
  principals: PrincipalOperations,
  enrolment: Pick<Enrolment, 'createCode'>,
  seal: Seal,
): PrincipalCalls {
  return {
    ...tokenCalls(principals, enrolment, seal),
    setUser: (request, by) => setUser(request, by, { principals, enrolment }),
    listUsers: ({ pageToken }) => {
      const people = byName(
        seal,
        'users',
        principals.people(),
        { limit: 0, pageToken },
        shapeOf((person) => toUser(person, principals.links()), User),
      );
      return { users: people.messages, nextPageToken: people.nextPageToken };
    },
    removeUser: async ({ name, reason }, by) => {
      done(await principals.removePerson(name, by, reason));
      return {};
    },
    linkUser: async ({ name: person, principal, reason }, by) => {
      done(await principals.link({ principal, person, reason }, by));
      const user = principals.people().find(({ name }) => name === person);
      return { user: user && toUser(user, principals.links()) };
    },
    unlinkUser: async ({ name: person, principal, reason }, by) => {
      done(await principals.unlink({ principal, person, reason }, by));
      return {};
    },
    revoke: async ({ principal, reason }, by) => {
      const [, kindText, name = ''] = /^([a-z]+):(.*)$/s.exec(principal) ?? [];
      const kind = principalKinds.find((each) => each === kindText);
      if (kind === undefined) throw invalid('principal must be relay:, person:, program: or agent:NAME');
      done(await principals.revoke({ kind, name }, by, reason));
      return {};
    },
  };
}

function tokenCalls(
  principals: PrincipalOperations,
  enrolment: Pick<Enrolment, 'createCode'>,
  seal: Seal,
): Pick<
  PrincipalCalls,
  'createApiToken' | 'listApiTokens' | 'rotateApiToken' | 'removeApiToken' | 'createProgramCode'
> {
  return {
    createApiToken: async ({ name, role: wanted, scope: labels, agent, ttl }, by) => {
      const role = tokenRoles.find((each) => each === wanted);
      if (role === undefined) throw invalid(`role must be ${tokenRoles.join(', ')}`);
      const scope = readLabels('scope', labels);
      const made = done(await principals.createToken({ name, role, scope, agent, until: endOf(ttl) }, by));
      return { text: made.text, token: toApiToken(made.token) };
    },
    listApiTokens: ({ pageToken }) => {
      const shape = shapeOf(toApiToken, ApiToken);
      const tokens = byName(seal, 'tokens', principals.tokens(), { limit: 0, pageToken }, shape);
      return { tokens: tokens.messages, nextPageToken: tokens.nextPageToken };
    },
    rotateApiToken: async ({ name, overlap }, by) => {
      if (overlap > mostOverlapSeconds) throw invalid(`overlap must be at most ${mostOverlapSeconds}`);
      const made = done(await principals.rotateToken(name, overlap * 1000, by));
      return { text: made.text, token: toApiToken(made.token) };
    },
    removeApiToken: async ({ name, reason }, by) => {
      done(await principals.removeToken(name, by, reason));
      return {};
    },
    createProgramCode: async ({ name }, by) => {
      const { token, expiresAt } = done(await enrolment.createCode({ kind: 'program', name }, 0, by));
      return { code: token, codeExpiresAt: expiresAt.toISOString() };
    },
  };
}

async function setUser(
  { name, role: wanted, scope: labels, ttl, replace }: SetUserRequest,
  by: Principal,
  { principals, enrolment }: { principals: PrincipalOperations; enrolment: Pick<Enrolment, 'createCode'> },
): Promise<SetUserResponse> {
  const role = ladder.find((each) => each === wanted);
  if (role === undefined) throw invalid(`role must be ${ladder.join(', ')}`);
  const scope = readLabels('scope', labels);
  const person = done(await principals.setPerson({ name, role, scope, until: endOf(ttl), replace }, by));
  const { token, expiresAt } = done(await enrolment.createCode({ kind: 'person', name }, 0, by));
  return { user: toUser(person, principals.links()), code: token, codeExpiresAt: expiresAt.toISOString() };
}

function endOf(ttl: bigint): number | undefined {
  if (ttl > BigInt(mostTtlSeconds)) throw invalid(`ttl must be at most ${mostTtlSeconds}`);
  return ttl === 0n ? undefined : Date.now() + Number(ttl) * 1000;
}

/** Throws what is refused. */
export function done<Value>(checked: Checked<Value>): Value {
  if ('refused' in checked) throw new CallRefused(status.FAILED_PRECONDITION, checked.refused);
  return checked.value;
}

const mostLinks = 100;

function toUser(person: ListedPerson, linked: readonly KnownLink[]): User {
  const { name, until, since } = person;
  const links = linked.flatMap((each) => (each.person === name ? [each.principal] : []));
  const set = { expiresAt: toTime(until), setAt: toTime(since) };
  const { role = '', scope, setBy, provider } = describePerson(person);
  const given = { role, scope, setBy, provider: provider && { refused: '', ...provider } };
  return { name, ...given, ...set, links: links.slice(0, mostLinks) };
}

function toApiToken({ name, principal, until, by, since, usedAt, usedFrom }: KnownToken): ApiToken {
  const { role, scope } = principal;
  const set = { setBy: by, setAt: toTime(since), expiresAt: toTime(until) };
  const used = { usedAt: toTime(usedAt), usedFrom };
  return { name, principal: principalName(principal), role, scope: { ...scope }, ...set, ...used };
}
