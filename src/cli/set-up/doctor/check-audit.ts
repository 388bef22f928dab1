import { join } from 'node:path';
import { auditFiles } from '../../../audit/audit-files.ts';
import { beginning, type Link } from '../../../audit/chain.ts';
import { hashAt, lastLink } from '../../../audit/last-link.ts';
import { recordedLink } from '../../../audit/recorded-link.ts';
import type { GatewayConfig } from '../../../config/gateway-config.ts';
import { stateFiles } from '../../../pki/state-files.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

/** Whether the end of the audit is the one that the database knows. The chain itself is for `audit verify`. */
export async function checkAudit({ state, audit }: GatewayConfig): Promise<Finding> {
  const database = join(state, stateFiles.database);
  const fix = `clawrden audit verify ${audit}; docs/operations.md says what to do`;
  let recorded: Link | undefined;
  try {
    // First: what is appended meanwhile is in the files only.
    recorded = await recordedLink(database);
  } catch (error) {
    return bad('database', `${database}: ${messageOf(error)}`, 'start the gateway: it says what to do');
  }
  try {
    const files = await auditFiles(audit);
    const last = await lastLink(files);
    const text = await problemOf(files, last, recorded ?? beginning);
    if (text !== '') return bad('audit', `${audit}: ${text}`, fix);
    const compared =
      recorded === undefined ? `, not compared with ${database}, which is not yours or new` : '';
    return good('audit', `${audit}: ${last.seq} records${compared}`);
  } catch (error) {
    return bad('audit', messageOf(error), fix);
  }
}

async function problemOf(files: readonly string[], last: Link, recorded: Link): Promise<string> {
  if (last.seq < recorded.seq) return `it ends at record ${last.seq}; record ${recorded.seq} was written`;
  const hash = recorded.seq === 0 ? undefined : await hashAt(files, recorded.seq);
  const isOther = hash !== undefined && hash !== recorded.hash;
  return isOther ? `its record ${recorded.seq} is not the one that was written` : '';
}
