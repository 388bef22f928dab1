import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { GatewayConfig } from '../src/config/gateway-config.ts';
import { stateFiles } from '../src/pki/state-files.ts';
import { type ApprovalStore, createApprovalStore } from './approvals/approval-store.ts';
import { type AuditLog, openAuditLog } from './audit/audit-log.ts';
import { auditPosition } from './store/audit-position.ts';
import { type Database, openDatabase } from './store/database.ts';
import { type History, openHistory } from './store/history.ts';
import { createOutputs, type Outputs } from './store/outputs.ts';
import { spendToken } from './store/spent-tokens.ts';

/** What the gateway keeps on the disk. */
export interface Records {
  readonly audit: AuditLog;
  readonly database: Database;
  readonly history: History;
  readonly outputs: Outputs;
  readonly approvals: ApprovalStore;
  readonly spend: (tokenId: string, expiresAt: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export async function openRecords(
  config: GatewayConfig,
  signingKey: KeyObject,
  text: string,
): Promise<Records> {
  const file = join(config.state, stateFiles.database);
  const database = await openDatabase(file, 'power-loss');
  const index = await openDatabase(file, 'crash');
  const audit = await openAuditLog(config.audit, { key: signingKey, witness: auditPosition(index) });
  const history = openHistory(index, config.limits.historyMs);
  await audit.append({ type: 'lifecycle', event: 'start', text });
  return {
    audit,
    database,
    history,
    outputs: createOutputs(index),
    approvals: createApprovalStore(database),
    spend: (tokenId, expiresAt) => spendToken(database, tokenId, expiresAt),
    close: async () => {
      await audit.append({ type: 'lifecycle', event: 'stop', text: '' });
      await audit.close();
      await history.close();
      await database.destroy();
    },
  };
}
