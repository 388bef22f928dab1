import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { createNextPiece } from '../../src/next-piece.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { type ApprovalStore, createApprovalStore } from '../approvals/approval-store.ts';
import { type AuditLog, openAuditLog } from '../audit/audit-log.ts';
import { faultNotesIn } from '../audit/fault-notes.ts';
import type { Recorded, Witness } from '../audit/witness.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { findCutOff, openSigningKeys } from '../keys/open-signing-keys.ts';
import { auditPosition } from '../store/audit-position.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createDetachedRows, type DetachedRows } from '../store/detached-rows.ts';
import { type EnrolmentTokens, openEnrolmentTokens } from '../store/enrolment-tokens.ts';
import { type History, openHistory } from '../store/history.ts';
import { createKeptChanges, type KeptChanges } from '../store/kept-changes.ts';
import { createNotices, type Notices } from '../store/notices.ts';
import { createOutputs, type Outputs } from '../store/outputs.ts';
import { findBehind } from './behind.ts';
import { wasStartedBefore } from './first-start.ts';
import { areAllLost, unknownUpTo } from './unknown-ids.ts';

const allLost =
  'database and audit are both new, but this gateway was started before: pauses, revocations and what was started are not known; pause and revoke again what has to be';

/** Everything that the gateway keeps on the disk. */
export interface Records {
  readonly audit: AuditLog;
  /** The present one may be younger than the one that was read at the start. */
  readonly keys: KeyRing;
  readonly database: Database;
  readonly history: History;
  readonly outputs: Outputs;
  readonly kept: KeptChanges;
  readonly detached: DetachedRows;
  readonly approvals: ApprovalStore;
  readonly notices: Notices;
  readonly tokens: EnrolmentTokens;
  /** The history has everything up to this record of the audit; Infinity if that is unknown. */
  readonly settledUpTo: number;
  readonly close: () => Promise<void>;
}

export async function openRecords(
  config: GatewayConfig,
  signingKey: KeyObject,
  text: string,
  nextPiece = createNextPiece(),
): Promise<Records> {
  const file = join(config.state, stateFiles.database);
  const database = await openDatabase(file, 'power-loss');
  const index = await openDatabase(file, 'crash');
  const history = openHistory(index, config.limits, nextPiece);
  const { recorded, witness } = await witnessOf(index, history);
  const faults = faultNotesIn(join(config.state, stateFiles.auditFaults));
  const cutOff = await findCutOff(config.state, config.audit, signingKey);
  const audit = await openAuditLog(config.audit, { key: cutOff.present, witness, faults });
  const behind = await findBehind(database, config.audit, recorded);
  // First the note: a start that is cut off here finds the rest, and tells it once.
  const found = {
    ...{ recorded, audit: audit.found, areMissing: behind.areMissing },
    wasStartedBefore: await wasStartedBefore(config.state),
  };
  const lost = areAllLost(found) ? allLost : '';
  for (const fault of [behind.text, lost]) if (fault !== '') await faults.add(fault);
  await behind.apply();
  const keys = await openSigningKeys(config.state, cutOff, database);
  const unknown = unknownUpTo(found, Date.now());
  if (unknown !== undefined) await history.forgetUpTo(unknown);
  witness.suspend(false);
  await audit.append({ type: 'lifecycle', event: 'start', text });
  const incidents = { 'database-behind': behind.text, 'database-lost': lost };
  for (const [incident, told] of Object.entries(incidents))
    if (told !== '') await audit.append({ type: 'incident', incident, caller: '', text: told });
  return {
    audit,
    keys,
    database,
    history,
    outputs: createOutputs(index),
    kept: createKeptChanges(index),
    detached: createDetachedRows(database),
    approvals: createApprovalStore(database),
    notices: createNotices(index),
    tokens: await openEnrolmentTokens(database),
    settledUpTo: typeof recorded === 'string' ? Infinity : recorded.seq,
    close: () => closeRecords({ audit, history, database }),
  };
}

/** If the audit's disk is full, the rejection says so; the history is written all the same. */
export async function closeRecords({
  audit,
  history,
  database,
}: Pick<Records, 'audit' | 'history' | 'database'>): Promise<void> {
  const faults: unknown[] = [];
  const steps = [
    () => audit.append({ type: 'lifecycle', event: 'stop', text: '' }),
    // It tells the database its last record.
    () => audit.close(),
    () => history.close(),
    () => database.destroy(),
  ];
  for (const step of steps) await step().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}

/**
 * The next start reads the audit from the recorded end on: whatever the database could not take must come after that.
 * Suspended at first.
 */
async function witnessOf(
  index: Database,
  history: History,
): Promise<{ recorded: Recorded; witness: Witness }> {
  const position = auditPosition(index);
  const recorded = await position.recorded();
  position.suspend(true);
  const record: Witness['record'] = async (last) => {
    if (history.problem() === '') await position.record(last);
  };
  return { recorded, witness: { ...position, recorded: () => Promise.resolve(recorded), record } };
}
