import type { ControlRecord, HostRecord, SigningKeyRecord } from '../audit/audit-record.ts';
import type { GrantRecord, LinkRecord } from '../audit/consent-records.ts';
import type {
  AssignmentRecord,
  CredentialRecord,
  PersonRecord,
  RevocationRecord,
  TokenRecord,
} from '../audit/principal-records.ts';
import type { Recorded as OfAudit } from '../audit/recorded-executions.ts';
import { readBehind } from '../audit/records-behind.ts';
import type { Recorded } from '../audit/witness.ts';
import { everyAgent, everyAgentRecorded, keepState, strictness } from '../control/agent-states.ts';
import { keepDrain } from '../control/drains.ts';
import { keepRevocation } from '../control/revocations.ts';
import { keepHandOver } from '../keys/open-signing-keys.ts';
import type { AgentState } from '../ports/agent-state.ts';
import type { Database } from '../store/database.ts';
import { keepEnrolled, tokenOfName } from '../store/enrolment-tokens.ts';
import { dropGrant } from '../store/grants.ts';
import { assignmentChanges } from './assignments-behind.ts';
import { apiTokenChanges, linkChanges, noteWord, peopleChanges } from './principals-behind.ts';

/** What the audit has and the database lacks. */
export interface Behind {
  /** For people; empty if the database lacks nothing. */
  readonly text: string;
  /** Records of the audit that the database did not know are missing. */
  readonly areMissing: boolean;
  /** Can be done again. */
  readonly apply: () => Promise<void>;
}

interface Change {
  readonly text: string;
  readonly apply: () => Promise<unknown>;
}

/** The last word on each agent, host, revoked principal, person and API token, the enrolment tokens that were used, and who enrolled. */
interface Told {
  readonly agents: Map<string, OfAudit<ControlRecord>>;
  readonly hosts: Map<string, OfAudit<HostRecord>>;
  readonly revoked: Map<string, OfAudit<RevocationRecord> & { readonly epoch: number }>;
  /** Each token with the principal that it let in. */
  readonly used: Map<string, string>;
  readonly enrolled: Set<string>;
  readonly people: Map<string, OfAudit<PersonRecord>>;
  readonly apiTokens: Map<string, OfAudit<TokenRecord>>;
  readonly signingKeys: OfAudit<SigningKeyRecord>[];
  readonly revokedGrants: Set<string>;
  readonly links: Map<string, OfAudit<LinkRecord>>;
  readonly assignments: Map<string, OfAudit<AssignmentRecord>>;
}

const namedAtMost = 8;

/** Compares the records after `recorded` with what the database has. Before anything reads the database's states. */
export async function findBehind(database: Database, file: string, recorded: Recorded): Promise<Behind> {
  const from = typeof recorded === 'string' ? 0 : recorded.seq;
  const revoked = await database.selectFrom('revocations').selectAll().execute();
  const epochs = new Map(revoked.map(({ principal, epoch }) => [principal, epoch]));
  const told: Told = {
    agents: new Map(),
    hosts: new Map(),
    revoked: new Map(),
    used: new Map(),
    enrolled: new Set(),
    people: new Map(),
    apiTokens: new Map(),
    signingKeys: [],
    revokedGrants: new Set(),
    links: new Map(),
    assignments: new Map(),
  };
  // All records from the first one tell how often; a part of them tells how often more.
  const before = from === 0 ? new Map<string, number>() : epochs;
  const { last, missing } = await readBehind(file, from, (record) => {
    if (record.type === 'control') told.agents.set(record.agent, record);
    else if (record.type === 'host') told.hosts.set(record.host, record);
    else if (record.type === 'credential') noteCredential(told, record);
    else if (record.type === 'person') noteWord(told.people, record.person, record);
    else if (record.type === 'token') noteWord(told.apiTokens, record.token, record);
    else if (record.type === 'signing-key') told.signingKeys.push(record);
    else if (record.type === 'grant') noteGrant(told, record);
    else if (record.type === 'link') told.links.set(record.principal, record);
    else if (record.type === 'assignment') told.assignments.set(`${record.agent} ${record.tool}`, record);
    else {
      const { principal } = record;
      const known = told.revoked.get(principal)?.epoch ?? before.get(principal) ?? 0;
      told.revoked.set(principal, { ...record, epoch: Math.max(record.epoch ?? known + 1, known) });
    }
  });
  const changes = [
    ...(await agentChanges(database, told)),
    ...(await hostChanges(database, told)),
    ...revocationChanges(database, told, epochs),
    ...(await tokenChanges(database, told, missing !== '')),
    ...(await peopleChanges(database, told.people)),
    ...(await apiTokenChanges(database, told.apiTokens)),
    ...(await linkChanges(database, told.links)),
    ...(await grantChanges(database, told, missing !== '')),
    ...(await assignmentChanges(database, told.assignments)),
  ];
  return {
    areMissing: missing !== '',
    text: textOf(changes, missing, `it knew record ${from} of ${last}`),
    apply: async () => {
      for (const change of changes) await change.apply();
      for (const principal of told.enrolled) await keepEnrolled(database, principal);
      for (const record of told.signingKeys) await keepHandOver(database, record);
    },
  };
}

/** What is stricter always counts; anything else only if the database has nothing newer that the audit lacks. */
async function agentChanges(database: Database, { agents }: Told): Promise<Change[]> {
  const rows = await database.selectFrom('agent_states').selectAll().execute();
  const known = new Map(rows.map((row) => [row.agent, row]));
  return [...agents.values()].flatMap(({ agent, state: recorded, by, reason, time }) => {
    const name = agent === everyAgentRecorded ? everyAgent : agent;
    const state = stateOf(recorded);
    const row = known.get(name);
    const since = Date.parse(time);
    const more = strictness[state] - strictness[stateOf(row?.state ?? 'active')];
    if (more === 0 || (more < 0 && row !== undefined && row.set_at > since)) return [];
    const apply = () => keepState(database, name, { state, by, reason, since });
    return [{ text: `${name === everyAgent ? agent : `agent ${name}`} ${state}`, apply }];
  });
}

/** A state that this version does not know counts as paused. */
function stateOf(state: string): AgentState {
  return Object.hasOwn(strictness, state) ? (state as AgentState) : 'paused';
}

async function hostChanges(database: Database, { hosts }: Told): Promise<Change[]> {
  const rows = await database.selectFrom('drained_hosts').selectAll().execute();
  const known = new Map(rows.map((row) => [row.host, row]));
  return [...hosts.values()].flatMap(({ host, state, by: set_by, reason, time }) => {
    const row = known.get(host);
    const set_at = Date.parse(time);
    const text = `host ${host} ${state}`;
    if (state === 'draining') {
      const apply = () => keepDrain(database, { host, set_by, reason, set_at });
      return row === undefined ? [{ text, apply }] : [];
    }
    if (row === undefined || row.set_at > set_at) return [];
    return [{ text, apply: () => database.deleteFrom('drained_hosts').where('host', '=', host).execute() }];
  });
}

function revocationChanges(
  database: Database,
  { revoked }: Told,
  epochs: ReadonlyMap<string, number>,
): Change[] {
  return [...revoked.values()].flatMap(({ principal, epoch, by: set_by, reason, time }) => {
    if (epoch <= (epochs.get(principal) ?? 0)) return [];
    const row = { principal, epoch, set_by, reason, set_at: Date.parse(time) };
    return [{ text: `${principal} revoked`, apply: () => keepRevocation(database, row) }];
  });
}

function noteCredential(told: Told, { credential, by, principal }: CredentialRecord): void {
  if (credential !== 'certificate') return;
  told.enrolled.add(principal);
  const token = tokenOfName(by);
  if (token !== undefined) told.used.set(token, principal);
}

/** If records are missing, each token may have been used. Of a used one the database knows by which key. */
async function tokenChanges(database: Database, { used }: Told, isAny: boolean): Promise<Change[]> {
  const rows = await database.selectFrom('enrolment_tokens').select(['id', 'used_by']).execute();
  return rows.flatMap(({ id, used_by }) => {
    const principal = used.get(id);
    if (!isAny && (principal === undefined || used_by !== '')) return [];
    const text =
      principal === undefined
        ? `enrolment token ${id} given up`
        : `enrolment token ${id} used for ${principal}`;
    return [{ text, apply: () => database.deleteFrom('enrolment_tokens').where('id', '=', id).execute() }];
  });
}

function noteGrant({ revokedGrants }: Told, { event, grant }: GrantRecord): void {
  if (event !== 'given') revokedGrants.add(grant);
}

/** What the audit has and the database lacks is asked again. If records are missing, each may have been revoked. */
async function grantChanges(database: Database, { revokedGrants }: Told, isAny: boolean): Promise<Change[]> {
  const rows = await database.selectFrom('grants').select(['id', 'agent']).execute();
  const ended = rows.filter(({ id }) => isAny || revokedGrants.has(id));
  return ended.map(({ id, agent }) => ({
    text: `grant ${id} for agent ${agent} ${isAny ? 'given up' : 'revoked'}`,
    apply: () => dropGrant(database, id),
  }));
}

function textOf(changes: readonly Change[], missing: string, knew: string): string {
  const gone = `${missing} of the audit are not there, so pauses, revocations, removed people and API tokens, and used enrolment tokens in them are not known: pause, revoke and remove again what has to be, and create new tokens, because the unused ones were given up`;
  const rest = changes.length > namedAtMost ? ` and ${changes.length - namedAtMost} more` : '';
  const names = changes.slice(0, namedAtMost).map(({ text }) => text);
  const applied = `${changes.length} changes were applied from the audit: ${names.join(', ')}${rest}`;
  const parts = [...(changes.length > 0 ? [applied] : []), ...(missing === '' ? [] : [gone])];
  return parts.length === 0 ? '' : `the database was behind the audit (${knew}); ${parts.join('; ')}`;
}
