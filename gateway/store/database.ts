import SqliteDatabase from 'better-sqlite3';
import { type Generated, Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { AssignmentRow } from './assignment-tables.ts';
import type { BelievedTimeRow } from './believed-time-row.ts';
import type { ChatPostTableRow } from './chat-post-rows.ts';
import { copyBeforeUpgrade } from './copy-before-upgrade.ts';
import { databaseFault } from './database-fault.ts';
import type { DetachedRow } from './detached-row.ts';
import { migrations } from './migrations.ts';
import type { HookDeliveryTableRow, ToldQuestionRow } from './notice-rows.ts';
import type { OutputRow, RecordingPartRow } from './output-rows.ts';
import { preparedOnce } from './prepared-once.ts';
import type {
  ApiTokenRow,
  EnrolledRow,
  EnrolmentTokenRow,
  LaterCertificateRow,
  PersonRow,
  RevocationRow,
  SignInRow,
  SigningKeyRow,
} from './principal-rows.ts';
import type { RoomSizeRow } from './room-tables.ts';

export interface ExecutionRow {
  caller: string;
  id: string;
  agent: string;
  argv: string;
  cwd: string;
  uid: number;
  gid: number;
  state: string;
  decision: string;
  rule: string;
  decision_reason: string;
  strategy: string;
  host: string;
  container: string;
  plan_hash: string;
  plan: string;
  approval_id: string;
  approver: string;
  outcome: string;
  exit_code: number;
  exit_signal: number;
  reason: string;
  text: string;
  received_at: number;
  decided_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  stdout_bytes: number;
  stderr_bytes: number;
  operands: string;
  /** JSON; empty if there were none. */
  connections: string;
  connection_count: number;
  /** JSON: size and digest of the command that was cut; empty if the command is complete. */
  cut: string;
}

export interface ApprovalRow {
  id: string;
  execution_id: string;
  caller: string;
  agent: string;
  plan_hash: string;
  /** Of the plan without its policy's hash; empty if an earlier version asked. */
  deed: string;
  plan: string;
  rule: string;
  reason: string;
  /** JSON: how many must say yes, and who counts; empty if one approver is enough. */
  consent: string;
  /** JSON: what is needed again when the caller comes back. */
  context: string;
  /** pending, approved, denied, expired or void; only pending ever changes. */
  state: string;
  verdict_by: string;
  /** The surface of the verdict: cli, api … */
  verdict_via: string;
  verdict_reason: string;
  /** Of the rights of `verdict_by`, in the same order; empty if an earlier version took it. */
  verdict_stamps: string;
  created_at: number;
  expires_at: number;
  resolved_at: number | null;
  /** When its one start was done; an approved question without it has started nothing. */
  used_at: number | null;
}

export interface GrantRow {
  id: string;
  agent: string;
  plan_hash: string;
  /** Of the plan without its policy's hash; empty if an earlier version gave it. */
  deed: string;
  /** JSON: the command of the plan; empty if an earlier version gave it, as `rule` and `execution` are. */
  command: string;
  rule: string;
  execution: string;
  /** Names, with commas between. */
  granted_by: string;
  /** Of their rights, in the same order; empty if an earlier version gave it. */
  stamps: string;
  given_at: number;
  until: number;
}

/** A yes to a question that needs more than one. */
export interface YesRow {
  approval: string;
  given_by: string;
  via: string;
  reason: string;
  given_at: number;
  grant_ms: number | null;
  /** Of the right that it was given by. */
  stamp: string;
}

/** A principal that is the same person as `person`. */
export interface LinkRow {
  principal: string;
  person: string;
  set_by: string;
  set_at: number;
}

export interface AgentStateRow {
  /** Empty: the lockdown, which holds for every agent. */
  agent: string;
  state: string;
  set_by: string;
  reason: string;
  set_at: number;
}

export interface DrainedHostRow {
  host: string;
  set_by: string;
  reason: string;
  set_at: number;
}

export interface AuditPositionRow {
  /** Always 1: there is one row. */
  one: number;
  seq: number;
  hash: string;
}

/** Of one agent's executions, kept up by triggers. */
export interface HistorySizeRow {
  agent: string;
  bytes: number;
}

/** Executions of this caller whose ids are no younger may have been removed. */
export interface HistoryHorizonRow {
  caller: string;
  id_time: number;
}

/** Changes of a workspace that one exchange kept and did not apply. */
export interface KeptSetRow {
  /** In the order of adding. */
  row: Generated<number>;
  id: string;
  agent: string;
  host: string;
  execution: string;
  why: string;
  at: number;
  count: number;
  /** What its files take here. */
  bytes: number;
}

export interface KeptFileTableRow {
  set_row: number;
  /** From 1. */
  number: number;
  path: Buffer;
  whose: string;
  kept: string;
}

export interface Tables {
  detached: DetachedRow;
  chat_posts: ChatPostTableRow;
  hook_deliveries: HookDeliveryTableRow;
  told_questions: ToldQuestionRow;
  signing_keys: SigningKeyRow;
  /** Holds a certificate of the former authority, while that one counts. */
  unmoved: EnrolledRow;
  people: PersonRow;
  sign_ins: SignInRow;
  api_tokens: ApiTokenRow;
  kept_sets: KeptSetRow;
  kept_files: KeptFileTableRow;
  history_sizes: HistorySizeRow;
  room_sizes: RoomSizeRow;
  history_horizons: HistoryHorizonRow;
  audit_position: AuditPositionRow;
  believed_time: BelievedTimeRow;
  agent_states: AgentStateRow;
  drained_hosts: DrainedHostRow;
  approvals: ApprovalRow;
  grants: GrantRow;
  assignments: AssignmentRow;
  yeses: YesRow;
  links: LinkRow;
  outputs: OutputRow;
  recordings: RecordingPartRow;
  revocations: RevocationRow;
  enrolled: EnrolledRow;
  later_certificates: LaterCertificateRow;
  executions: ExecutionRow;
  enrolment_tokens: EnrolmentTokenRow;
}

export type Database = Kysely<Tables>;

/**
 * What a commit must survive. `power-loss` waits for the disk (about 0.2 ms, more on a busy disk); `crash` survives
 * only the end of this program.
 */
export type Durability = 'power-loss' | 'crash';

/**
 * Opens the embedded database and updates its schema, with a copy kept beside it. The audit is the record, this is
 * its index. Rejects with a line for people that names the file, what is wrong with it, and what to do.
 */
export async function openDatabase(file: string, durability: Durability): Promise<Database> {
  try {
    return await openUpToDate(file, durability);
  } catch (error) {
    throw databaseFault(file, error);
  }
}

async function openUpToDate(file: string, durability: Durability): Promise<Database> {
  const sqlite = new SqliteDatabase(file);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma(`synchronous = ${durability === 'power-loss' ? 'FULL' : 'NORMAL'}`);
  await copyBeforeUpgrade(sqlite, file, Object.keys(migrations));
  const database = new Kysely<Tables>({ dialect: new WholeMigrations({ database: preparedOnce(sqlite) }) });
  const { error } = await new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  }).migrateToLatest();
  if (error !== undefined) throw error;
  return database;
}

/** All new migrations are one transaction: after a kill between two statements the next start begins them anew. */
class WholeMigrations extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqlite();
  }
}

/** Kysely does not rely on it, but SQLite changes schemas in transactions. */
class TransactionalSqlite extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
