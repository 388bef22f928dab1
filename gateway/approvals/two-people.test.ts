import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ApproverRole, Consent } from '../../src/policy/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openRevocations } from '../control/revocations.ts';
import type { PersonRole } from '../ports/known-principals.ts';
import type { Principal, Scope } from '../ports/principal.ts';
import { createApprovers } from '../principals/approvers.ts';
import { openLinks } from '../principals/links.ts';
import { openPeople } from '../principals/people.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createApprovalStore } from './approval-store.ts';
import { createApprovals } from './approvals.ts';
import { openGrants } from './grants.ts';

let database: Database | undefined;
afterEach(async () => {
  await database?.destroy();
  database = undefined;
});

const names = ['ann', 'bob', 'cara', 'dan'] as const;
type Name = (typeof names)[number];
const admin: Principal = { kind: 'person', name: 'root', role: 'admin', scope: {} };
const first = new Map<string, { role: PersonRole; scope: Scope }>([
  ['root', { role: 'admin', scope: {} }],
  ...names.map((name) => [name, { role: 'operator', scope: {} }] as const),
]);

type Step =
  | { type: 'yes'; who: Name; via: string; grantMs: number | undefined }
  | { type: 'no' | 'remove' | 'revoke' | 'unlink'; who: Name }
  | { type: 'set'; who: Name; role: PersonRole; isScoped: boolean }
  | { type: 'link'; who: Name; to: Name }
  | { type: 'relabel'; isWeb: boolean }
  | { type: 'restart' };

const who = fc.constantFrom(...names);
const yes = fc.record({
  type: fc.constant('yes' as const),
  who,
  via: fc.constantFrom('cli', 'http', 'chat'),
  grantMs: fc.option(fc.constantFrom(60_000, 120_000), { nil: undefined }),
});
const link = fc.record({ type: fc.constant('link' as const), who, to: who });
const rare = fc.oneof(
  fc.record({ type: fc.constantFrom('remove' as const, 'revoke' as const, 'unlink' as const), who }),
  fc.record({
    type: fc.constant('set' as const),
    who,
    role: fc.constantFrom<PersonRole>('viewer', 'approver', 'operator', 'admin'),
    isScoped: fc.boolean(),
  }),
  link,
  fc.record({ type: fc.constant('relabel' as const), isWeb: fc.boolean() }),
  fc.record({ type: fc.constant('restart' as const) }),
);
const no = fc.record({ type: fc.constant('no' as const), who });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: yes },
  { weight: 8, arbitrary: rare },
  { weight: 1, arbitrary: no },
);
/** Often there are links before anybody answers. */
const sequences = fc
  .tuple(fc.array(link, { maxLength: 3 }), fc.array(step, { minLength: 4, maxLength: 30 }))
  .map(([links, steps]): Step[] => [...links, ...steps]);
const consents = fc
  .record({
    approvals: fc.constantFrom(1, 2, 2, 2, 3),
    role: fc.constantFrom<ApproverRole>('approver', 'approver', 'operator', 'admin'),
    named: fc.option(fc.shuffledSubarray([...names], { minLength: 3 }), { nil: undefined }),
  })
  .map(({ named, ...rest }): Consent => ({ ...rest, ...(named && { names: named }) }));

const audit = () => {
  const records: AuditRecord[] = [];
  const append = async (record: AuditRecord) => void records.push(record);
  return { records, log: { append, unkept: () => {} } as unknown as AuditLog };
};

/** A gateway's approvals on real tables; opening again on the same database is a restart. */
async function open(tables: Database, log: AuditLog, isWeb: () => boolean) {
  const revocations = await openRevocations(tables, log);
  const people = await openPeople(tables, log, first, revocations);
  const links = await openLinks({
    database: tables,
    audit: log,
    isPerson: (name) => people.find(name) !== undefined,
  });
  const agents = () => new Map([['coder', coder(isWeb())]]);
  const approvers = createApprovers({ people, revocations, links, agents });
  const grants = await openGrants(tables, log, approvers);
  const store = createApprovalStore(tables);
  const approvals = createApprovals({ store, grants, approvers, record: log.append, pendingPerAgent: 9 });
  return { people, revocations, links, grants, approvals };
}

function coder(isWeb: boolean): AgentConfig {
  const labels: Record<string, string> = isWeb ? { team: 'web' } : {};
  return { name: 'coder', relay: 'r', users: [{ uid: 1, gid: 1 }], labels, cwd: '/app', hosts: {} };
}

interface Person {
  role: PersonRole | 'gone';
  isScoped: boolean;
  /** How often anything about it was changed. */
  version: number;
}

/** What the rules say, in the plainest way. */
class Oracle {
  readonly people = new Map<Name, Person>(
    names.map((name) => [name, { role: 'operator', isScoped: false, version: 0 }]),
  );
  readonly linkedTo = new Map<Name, Name>();
  yeses: { who: Name; version: number; grantMs: number | undefined }[] = [];
  state: 'pending' | 'approved' | 'denied' = 'pending';
  grantMs: number | undefined;
  isWeb = true;
  readonly consent: Consent;
  readonly caller: string;

  constructor(consent: Consent, caller: string) {
    [this.consent, this.caller] = [consent, caller];
  }

  person(name: Name): Person {
    return this.people.get(name) ?? { role: 'gone', isScoped: false, version: -1 };
  }

  root(name: Name): Name {
    const next = this.linkedTo.get(name);
    return next === undefined ? name : this.root(next);
  }

  isOwn(name: Name): boolean {
    return names.some((each) => this.caller === `person:${each}` && this.root(each) === this.root(name));
  }

  may(name: Name): boolean {
    const { role, isScoped } = this.person(name);
    const rungs = ['approver', 'operator', 'admin'];
    if (!rungs.includes(role) || (isScoped && !this.isWeb)) return false;
    const { names: named } = this.consent;
    const isNamed = named === undefined || named.some((each) => this.root(each as Name) === this.root(name));
    return isNamed && rungs.indexOf(role) >= rungs.indexOf(this.consent.role);
  }

  counting() {
    return this.yeses.filter(
      (each) => !this.isOwn(each.who) && this.may(each.who) && this.person(each.who).version === each.version,
    );
  }

  missing(): number {
    return Math.max(
      0,
      this.consent.approvals - new Set(this.counting().map((each) => this.root(each.who))).size,
    );
  }

  say(name: Name, grantMs: number | undefined): string {
    if (this.state !== 'pending') return 'already-resolved';
    if (this.isOwn(name)) return 'own-request';
    if (!this.may(name)) return 'not-approver';
    const { version } = this.person(name);
    this.yeses = [...this.yeses.filter((each) => each.who !== name), { who: name, version, grantMs }];
    if (this.missing() > 0) return 'noted';
    this.state = 'approved';
    const byPerson = [...Map.groupBy(this.counting(), (each) => this.root(each.who)).values()];
    const asking = byPerson.filter((its) => its.every((each) => each.grantMs !== undefined)).flat();
    if (new Set(asking.map((each) => this.root(each.who))).size >= this.consent.approvals)
      this.grantMs = Math.min(...asking.flatMap((each) => each.grantMs ?? []));
    return 'resolved';
  }
}

const plan = JSON.stringify({ agent: 'coder', argv: ['rm'], cwd: '/app', stdin: 'none' });
const callers = ['relay:host-1', 'person:ann', 'person:bob', 'program:ci'] as const;
const numRuns = process.env['CLAWRDEN_LONG'] ? 400 : 25;

test('P10 A-82: as many different people as the rule needs have a right to say yes at the moment of the last one, whatever happened before', async () => {
  await fc.assert(
    fc.asyncProperty(consents, fc.constantFrom(...callers), sequences, async (consent, caller, steps) => {
      const tables = await openDatabase(':memory:', 'crash');
      const { records, log } = audit();
      try {
        const oracle = new Oracle(consent, caller);
        let gateway = await open(tables, log, () => oracle.isWeb);
        const { approval } = await gateway.approvals.ask({
          ...{ executionId: 'e', caller, agent: 'coder', planHash: 'h', plan, rule: 'r', reason: '' },
          ...{ context: '{}', expiresInMs: 600_000, consent },
        });
        const answer = (verdict: 'approved' | 'denied', name: Name, via = 'cli', grantMs?: number) =>
          gateway.approvals.resolve(approval.id, {
            ...{ verdict, by: `person:${name}`, via, reason: '', planHash: 'h' },
            ...(grantMs !== undefined && { grantMs }),
          });
        for (const each of steps) {
          if (each.type === 'yes') {
            const said = await answer('approved', each.who, each.via, each.grantMs);
            expect([each, said.type]).toEqual([each, oracle.say(each.who, each.grantMs)]);
          } else if (each.type === 'no') {
            const { type } = await answer('denied', each.who);
            expect(type).toBe(oracle.state === 'pending' ? 'resolved' : 'already-resolved');
            if (oracle.state === 'pending') oracle.state = 'denied';
          } else if (each.type === 'set') {
            const scope: Scope = each.isScoped ? { team: 'web' } : {};
            const wanted = { name: each.who, role: each.role, scope, until: undefined, replace: true };
            const done = await gateway.people.set(wanted, 'person:root');
            const person = oracle.person(each.who);
            expect('value' in done).toBe(person.role !== 'gone');
            if ('value' in done)
              Object.assign(person, {
                role: each.role,
                isScoped: each.isScoped,
                version: person.version + 1,
              });
          } else if (each.type === 'remove') {
            await gateway.people.remove(each.who, 'person:root', '');
            oracle.person(each.who).role = 'gone';
          } else if (each.type === 'revoke') {
            await gateway.revocations.revoke(`person:${each.who}`, admin, '');
            oracle.person(each.who).version += 1;
          } else if (each.type === 'link') {
            const wanted = { principal: `person:${each.to}`, person: each.who, reason: '' };
            const done = await gateway.links.link(wanted, 'person:root');
            const isMeant =
              oracle.person(each.who).role !== 'gone' &&
              oracle.person(each.to).role !== 'gone' &&
              !oracle.linkedTo.has(each.to) &&
              oracle.root(each.who) !== oracle.root(each.to);
            expect([each, 'value' in done]).toEqual([each, isMeant]);
            if (isMeant) oracle.linkedTo.set(each.to, each.who);
          } else if (each.type === 'unlink') {
            const done = await gateway.links.unlink(
              { principal: `person:${each.who}`, person: oracle.linkedTo.get(each.who) ?? 'ann', reason: '' },
              'person:root',
            );
            expect('value' in done).toBe(oracle.linkedTo.delete(each.who));
          } else if (each.type === 'relabel') oracle.isWeb = each.isWeb;
          else {
            gateway = await open(tables, log, () => oracle.isWeb);
            await gateway.approvals.restore();
          }
          const shown = gateway.approvals.pending();
          expect(shown.map(({ missing }) => missing)).toEqual(
            oracle.state === 'pending' ? [oracle.missing()] : [],
          );
          const row = await createApprovalStore(tables).find(approval.id);
          expect(row?.state).toBe(oracle.state);
        }
        const grants = await tables.selectFrom('grants').selectAll().execute();
        expect(grants.map(({ until, given_at }) => until - given_at)).toEqual(
          oracle.grantMs === undefined ? [] : [oracle.grantMs],
        );
        const noted = records.filter(({ type }) => type === 'yes');
        expect(noted.every((record) => 'needed' in record && record.needed === consent.approvals)).toBe(true);
      } finally {
        await tables.destroy();
      }
    }),
    { numRuns },
  );
});
