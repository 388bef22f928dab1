import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import {
  addConsent,
  addDeeds,
  addVerdictStamps,
  indexAnswers,
  indexPlans,
  nameGrants,
} from './approval-migrations.ts';
import { createAssignments } from './assignment-tables.ts';
import { createBelievedTime } from './believed-time-row.ts';
import { addPostAgents, createChatPosts } from './chat-post-rows.ts';
import { addTails, createDetachedTable } from './detached-migration.ts';
import { isOpen, isUnseen } from './is-open.ts';
import { addDeliveryAgents, createNotices } from './notice-tables.ts';
import { createOutputs, createRecordings } from './output-tables.ts';
import { addAnswers, createPrincipals, renameRelays } from './principal-migrations.ts';
import { addRooms } from './room-tables.ts';
import { createSigningKeys, createUnmoved } from './rotation-tables.ts';
import { addConnections, addSearch, countConnections, tellDecisionsApart } from './search-tables.ts';
import { createSignIns } from './sign-in-tables.ts';

/** In order, append only: a released migration never changes. */
export const migrations: Record<string, Migration> = {
  '0001-executions': { up: createExecutions },
  '0002-spent-tokens': { up: createSpentTokens },
  '0003-approvals': { up: createApprovals },
  '0004-agent-states': { up: createAgentStates },
  '0005-drained-hosts': { up: createDrainedHosts },
  '0006-history-indexes': { up: createHistoryIndexes },
  '0007-outputs': { up: createOutputs },
  '0008-revocations': { up: createRevocations },
  '0009-operands': { up: addOperands },
  '0010-cut-commands': { up: addCutCommands },
  '0012-audit-position': { up: createAuditPosition },
  '0013-enrolment-epochs': { up: addEnrolmentEpochs },
  '0014-plans-of-questions': { up: forgetAnsweredPlans },
  '0015-history-sizes': { up: addHistorySizes },
  '0016-enrolled-relays': { up: addEnrolledRelays },
  '0017-unseen-ends': { up: indexUnseenEnds },
  '0018-kept-changes': { up: createKeptChanges },
  '0019-persons': { up: renameOperators },
  '0020-principals': { up: createPrincipals },
  '0021-revoked-principals': { up: renameRelays },
  '0023-signing-keys': { up: createSigningKeys },
  '0024-grants-by-id': { up: nameGrants },
  '0026-detached': { up: createDetachedTable },
  '0027-unmoved': { up: createUnmoved },
  '0028-consent': { up: addConsent },
  '0032-search': { up: addSearch },
  '0034-notices': { up: createNotices },
  '0036-recordings': { up: createRecordings },
  '0037-sign-ins': { up: createSignIns },
  '0038-chat-posts': { up: createChatPosts },
  '0039-answers-by-plan': { up: indexPlans },
  '0040-deeds': { up: addDeeds },
  '0041-assignments': { up: createAssignments },
  '0042-connections': { up: addConnections },
  '0043-connection-count': { up: countConnections },
  '0044-tails': { up: addTails },
  '0046-delivery-agents': { up: addDeliveryAgents },
  '0047-post-agents': { up: addPostAgents },
  '0048-rooms-by-agent': { up: addRooms },
  '0049-decisions-apart': { up: tellDecisionsApart },
  '0050-answers-by-agent': { up: indexAnswers },
  '0052-stamps-of-verdicts': { up: addVerdictStamps },
  '0053-believed-time': { up: createBelievedTime },
  '0054-enrolment-answers': { up: addAnswers },
};

async function createExecutions(database: Kysely<unknown>): Promise<void> {
  const text = ['agent', 'argv', 'cwd', 'state', 'decision', 'rule', 'decision_reason', 'strategy', 'host'];
  const more = ['container', 'plan_hash', 'plan', 'approval_id', 'approver', 'outcome', 'reason', 'text'];
  const numbers = ['uid', 'gid', 'exit_code', 'exit_signal', 'stdout_bytes', 'stderr_bytes', 'received_at'];
  let table = database.schema
    .createTable('executions')
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('executions_key', ['caller', 'id']);
  for (const name of [...text, ...more]) table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  for (const name of ['decided_at', 'started_at', 'ended_at']) table = table.addColumn(name, 'bigint');
  await table.execute();
  const index = (name: string, columns: string[]) =>
    database.schema.createIndex(name).on('executions').columns(columns).execute();
  await index('executions_by_id', ['id']);
  await index('executions_by_time', ['received_at']);
  await index('executions_by_agent', ['agent', 'received_at']);
}

async function createSpentTokens(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('spent_tokens')
    .addColumn('jti', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createApprovals(database: Kysely<unknown>): Promise<void> {
  const text = ['execution_id', 'caller', 'agent', 'plan_hash', 'plan', 'rule', 'reason', 'context', 'state'];
  const verdict = ['verdict_by', 'verdict_via', 'verdict_reason'];
  let table = database.schema
    .createTable('approvals')
    .addColumn('id', 'text', (column) => column.primaryKey());
  for (const name of [...text, ...verdict])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['created_at', 'expires_at']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  for (const name of ['resolved_at', 'used_at']) table = table.addColumn(name, 'bigint');
  await table.execute();
  await database.schema
    .createIndex('approvals_by_state')
    .on('approvals')
    .columns(['state', 'used_at'])
    .execute();
  await database.schema
    .createTable('grants')
    .addColumn('agent', 'text', (column) => column.notNull())
    .addColumn('plan_hash', 'text', (column) => column.notNull())
    .addColumn('granted_by', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('grants_key', ['agent', 'plan_hash'])
    .execute();
}

async function createAgentStates(database: Kysely<unknown>): Promise<void> {
  let table = database.schema
    .createTable('agent_states')
    .addColumn('agent', 'text', (column) => column.primaryKey());
  for (const name of ['state', 'set_by', 'reason'])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  await table.addColumn('set_at', 'bigint', (column) => column.notNull()).execute();
}

async function createDrainedHosts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('drained_hosts')
    .addColumn('host', 'text', (column) => column.primaryKey())
    .addColumn('set_by', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('set_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** So that no list reads more rows than it shows, however rare the rows are. */
async function createHistoryIndexes(database: Kysely<unknown>): Promise<void> {
  const index = (name: string) => database.schema.createIndex(name).on('executions');
  await index('executions_by_decision').columns(['decision', 'received_at']).execute();
  await index('executions_by_both').columns(['agent', 'decision', 'received_at']).execute();
  await database.schema.createIndex('approvals_by_expiry').on('approvals').column('expires_at').execute();
  await index('executions_open').column('received_at').where(isOpen).execute();
}

/** The numbers come before the blobs, so that summing them up reads no page of a blob. */
async function addOperands(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('executions')
    .addColumn('operands', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

async function addCutCommands(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('executions')
    .addColumn('cut', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

async function createRevocations(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('revoked_relays')
    .addColumn('relay', 'text', (column) => column.primaryKey())
    .addColumn('set_by', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('set_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('reissued_certificates')
    .addColumn('fingerprint', 'text', (column) => column.primaryKey())
    .addColumn('relay', 'text', (column) => column.notNull())
    .execute();
}

async function createAuditPosition(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('audit_position')
    .addColumn('one', 'integer', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
}

/**
 * A table of valid tokens replaces the table of used ones: tokens of an earlier version enrol no machine any more.
 */
async function addEnrolmentEpochs(database: Kysely<unknown>): Promise<void> {
  await database.schema.dropTable('spent_tokens').execute();
  await database.schema
    .createTable('enrolment_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  for (const table of ['revoked_relays', 'reissued_certificates'])
    await database.schema
      .alterTable(table)
      .addColumn('epoch', 'bigint', (column) => column.notNull().defaultTo(1))
      .execute();
}

/** The plan of a question that nobody can answer any more, or that was used. */
async function forgetAnsweredPlans(database: Kysely<unknown>): Promise<void> {
  await sql`update approvals set plan = ''
    where state in ('denied', 'expired', 'void') or used_at is not null`.execute(database);
}

/** About what a row takes, with its share of the indexes. */
const sizeOf = (row: string) => {
  const texts = ['argv', 'cwd', 'plan', 'operands', 'text', 'decision_reason', 'cut'];
  return `(1000 + ${texts.map((name) => `octet_length(${row}${name})`).join(' + ')})`;
};

/** Sizes are kept up by triggers: to sum up a million rows would hold up everybody. */
async function addHistorySizes(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run('create table history_sizes (agent text primary key not null, bytes bigint not null)');
  await run('create table history_horizons (caller text primary key not null, id_time bigint not null)');
  await run(`insert into history_sizes select agent, sum${sizeOf('')} from executions group by agent`);
  const add = `insert into history_sizes values (new.agent, ${sizeOf('new.')})
    on conflict (agent) do update set bytes = bytes + excluded.bytes;`;
  const subtract = `update history_sizes set bytes = bytes - ${sizeOf('old.')} where agent = old.agent;`;
  const trigger = (name: string, event: string, body: string) =>
    run(`create trigger history_${name} after ${event} on executions begin ${body} end`);
  await trigger('grows', 'insert', add);
  await trigger(
    'shrinks',
    'delete',
    `${subtract} delete from history_sizes where agent = old.agent and bytes <= 0;`,
  );
  await trigger('changes', 'update', `${subtract} ${add}`);
}

/** Relays that got a certificate, so far as an earlier version left traces of them. */
async function addEnrolledRelays(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('enrolled_relays')
    .addColumn('relay', 'text', (column) => column.primaryKey())
    .execute();
  const begin = 'relay:';
  await sql`insert into enrolled_relays
    select distinct substr(caller, ${begin.length + 1}) from executions where caller like ${`${begin}%`}
    union select relay from revoked_relays
    union select relay from reissued_certificates`.execute(database);
}

async function indexUnseenEnds(database: Kysely<unknown>): Promise<void> {
  const index = database.schema.createIndex('executions_unseen').on('executions');
  await index.columns(['received_at', 'host']).where(isUnseen).execute();
}

async function createKeptChanges(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table kept_sets (row integer primary key, id text not null unique,
    agent text not null, host text not null, execution text not null, why text not null,
    at bigint not null, count bigint not null, bytes bigint not null)`);
  await run('create index kept_sets_by_agent on kept_sets (agent, row)');
  await run('create index kept_sets_by_time on kept_sets (at)');
  await run(`create table kept_files (set_row bigint not null, number bigint not null, path blob not null,
    whose text not null, kept text not null, primary key (set_row, number)) without rowid`);
}

/** A person was called `operator:NAME`. */
async function renameOperators(database: Kysely<unknown>): Promise<void> {
  const columns = {
    ...{ executions: ['caller', 'approver'], outputs: ['caller'], history_horizons: ['caller'] },
    ...{ approvals: ['caller', 'verdict_by'], grants: ['granted_by'] },
    ...{ agent_states: ['set_by'], drained_hosts: ['set_by'], revoked_relays: ['set_by'] },
  };
  const begin = 'operator:';
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) {
      await sql`update ${sql.table(table)} set ${sql.ref(name)} = 'person:' || substr(${sql.ref(name)}, ${begin.length + 1})
        where ${sql.ref(name)} like ${`${begin}%`}`.execute(database);
    }
  }
}
