import { createHash } from 'node:crypto';
import type { ApiTokenJson, UserJson } from '../../src/http-api/principals.ts';
import { byName } from '../lists/create-lists.ts';
import { createSeal } from '../lists/seal.ts';
import { toTime } from '../lists/short-texts.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { KnownToken, ListedPerson, PrincipalOperations } from '../ports/known-principals.ts';
import { principalName } from '../ports/principal.ts';
import { describePerson } from '../principals/describe-person.ts';
import type { Handlers } from './add-routes.ts';
import { shapeOf, toPage } from './pages.ts';
import { done, HttpRefused } from './problem.ts';

type PrincipalHandlers = Pick<
  Handlers,
  | 'users'
  | 'setUser'
  | 'removeUser'
  | 'linkUser'
  | 'unlinkUser'
  | 'tokens'
  | 'createToken'
  | 'rotateToken'
  | 'removeToken'
  | 'programCode'
  | 'revokePrincipal'
>;

/** Who may call, for admins. A code and the text of a token are in one answer, and nowhere else. */
export function principalHandlers(
  principals: PrincipalOperations,
  enrolment: Pick<Enrolment, 'createCode'>,
): PrincipalHandlers {
  const seal = createSeal();
  const toUser = (person: ListedPerson) => toUserJson(person, principals);
  return {
    ...tokenHandlers(principals, enrolment),
    users: ({ query }) => {
      const page = byName(seal, 'users', principals.people(), toPage(query), shapeOf(toUser));
      return { users: page.messages, nextCursor: page.nextPageToken };
    },
    setUser: async ({ body: { name, role, scope = {}, ttlSeconds, replace = false }, caller }) => {
      const wanted = { name, role, scope, until: endOf(ttlSeconds), replace };
      const person = done(await principals.setPerson(wanted, caller));
      const { token, expiresAt } = done(await enrolment.createCode({ kind: 'person', name }, 0, caller));
      return { user: toUser(person), code: token, codeExpiresAt: expiresAt.toISOString() };
    },
    removeUser: async ({ params: { name }, query: { reason = '' }, caller }) => {
      const user = toUser(personNamed(name, principals));
      done(await principals.removePerson(name, caller, reason));
      return user;
    },
    linkUser: async ({ params: { name }, body: { principal, reason = '' }, caller }) => {
      const person = personNamed(name, principals);
      done(await principals.link({ principal, person: name, reason }, caller));
      return toUser(person);
    },
    unlinkUser: async ({ params: { name, id }, query: { reason = '' }, caller }) => {
      const link = principals
        .links()
        .find(({ person, principal }) => person === name && idOf(principal) === id);
      if (link === undefined) throw new HttpRefused(404, `the user ${name} has no link ${id}`);
      done(await principals.unlink({ principal: link.principal, person: name, reason }, caller));
      return toUser(personNamed(name, principals));
    },
    revokePrincipal: async ({ params: { kind, name }, query: { reason = '' }, caller }) => {
      done(await principals.revoke({ kind, name }, caller, reason));
      return { revoked: principalName({ kind, name }) };
    },
  };
}

function tokenHandlers(
  principals: PrincipalOperations,
  enrolment: Pick<Enrolment, 'createCode'>,
): Pick<PrincipalHandlers, 'tokens' | 'createToken' | 'rotateToken' | 'removeToken' | 'programCode'> {
  const seal = createSeal();
  const known = (name: string): KnownToken => {
    const token = principals.tokens().find((each) => each.name === name);
    if (token === undefined) throw new HttpRefused(404, `there is no API token ${name}`);
    return token;
  };
  return {
    tokens: ({ query }) => {
      const page = byName(seal, 'tokens', principals.tokens(), toPage(query), shapeOf(toTokenJson));
      return { tokens: page.messages, nextCursor: page.nextPageToken };
    },
    createToken: async ({ body: { name, role, scope = {}, agent = '', ttlSeconds }, caller }) => {
      const wanted = { name, role, scope, agent, until: endOf(ttlSeconds) };
      const { token, text } = done(await principals.createToken(wanted, caller));
      return { token: toTokenJson(token), text };
    },
    rotateToken: async ({ params: { name }, body: { overlapSeconds = 0 }, caller }) => {
      known(name);
      const { token, text } = done(await principals.rotateToken(name, overlapSeconds * 1000, caller));
      return { token: toTokenJson(token), text };
    },
    programCode: async ({ params: { name }, caller }) => {
      known(name);
      const made = done(await enrolment.createCode({ kind: 'program', name }, 0, caller));
      return { code: made.token, codeExpiresAt: made.expiresAt.toISOString() };
    },
    removeToken: async ({ params: { name }, query: { reason = '' }, caller }) => {
      const token = known(name);
      done(await principals.removeToken(name, caller, reason));
      return toTokenJson(token);
    },
  };
}

function personNamed(name: string, { people }: PrincipalOperations): ListedPerson {
  const person = people().find((each) => each.name === name);
  if (person === undefined) throw new HttpRefused(404, `there is no user ${name}`);
  return person;
}

function endOf(ttlSeconds: number | undefined): number | undefined {
  return ttlSeconds === undefined ? undefined : Date.now() + ttlSeconds * 1000;
}

const mostLinks = 100;

function toUserJson(person: ListedPerson, { links: all }: PrincipalOperations): UserJson {
  const { name, until, since } = person;
  const own = all().filter((each) => each.person === name);
  const links = own.slice(0, mostLinks).map(({ principal }) => ({ id: idOf(principal), principal }));
  return { name, ...describePerson(person), ...ending(until), setAt: toTime(since), links };
}

/** A principal may have characters that no path of ours takes. */
function idOf(principal: string): string {
  return createHash('sha256').update(principal).digest('hex').slice(0, 16);
}

function toTokenJson({ name, principal, until, by, since, usedAt, usedFrom }: KnownToken): ApiTokenJson {
  const { role, scope } = principal;
  return {
    ...{ name, principal: principalName(principal), role, scope: { ...scope } },
    ...{ setBy: by, setAt: toTime(since), ...ending(until), usedFrom },
    ...(usedAt !== undefined && { usedAt: toTime(usedAt) }),
  };
}

function ending(until: number | undefined): { readonly expiresAt?: string } {
  return until === undefined ? {} : { expiresAt: toTime(until) };
}
