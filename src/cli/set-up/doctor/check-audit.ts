import { join } from 'node:path';
import { openAudit } from '../../../audit/audit-files.ts';
import { beginning, type Link } from '../../../audit/chain.ts';
import { readFaultNotes } from '../../../audit/fault-notes.ts';
import { hashAt, lastLink } from '../../../audit/last-link.ts';
import type { LogPart } from '../../../audit/open-regular.ts';
import { type Recorded, recordedLink } from '../../../audit/recorded-link.ts';
import type { GatewayConfig } from '../../../config/gateway-config.ts';
import { stateFiles } from '../../../pki/state-files.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

/** What the gateway found missing, until somebody acknowledges that, and whether the end is the one that the database knows. */
export async function checkAudit(config: GatewayConfig): Promise<Finding[]> {
  return [...checkNotes(config), await checkEnd(config)];
}

function checkNotes({ state, audit }: GatewayConfig): Finding[] {
  const file = join(state, stateFiles.auditFaults);
  try {
    const fix = `clawrden audit verify ${audit}; once you know what happened, move ${file} away`;
    return readFaultNotes(file).map((line) => bad('audit', line, fix));
  } catch (error) {
    return [doubtful('audit', messageOf(error), "run doctor as the gateway's user")];
  }
}

/** The chain itself is for `audit verify`. */
async function checkEnd({ state, audit }: GatewayConfig): Promise<Finding> {
  const database = join(state, stateFiles.database);
  const fix = `clawrden audit verify ${audit}; docs/operations.md says what to do`;
  let recorded: Recorded;
  try {
    // First, because records that are appended meanwhile are in the files only.
    recorded = await recordedLink(database);
  } catch (error) {
    return bad('database', `${database}: ${messageOf(error)}`, 'start the gateway: it says what to do');
  }
  try {
    await using log = await openAudit(audit);
    const last = await lastLink(log.parts);
    const text = await problemOf(log.parts, last, recorded.link ?? beginning);
    if (text !== '') return bad('audit', `${audit}: ${text}`, fix);
    const compared = recorded.why === '' ? '' : `, not compared with ${database}: ${recorded.why}`;
    return good('audit', `${audit}: ${last.seq} records${compared}`);
  } catch (error) {
    return bad('audit', messageOf(error), fix);
  }
}

async function problemOf(files: readonly LogPart[], last: Link, recorded: Link): Promise<string> {
  if (last.seq < recorded.seq) return `it ends at record ${last.seq}; record ${recorded.seq} was written`;
  const hash = recorded.seq === 0 ? undefined : await hashAt(files, recorded.seq);
  const isOther = hash !== undefined && hash !== recorded.hash;
  return isOther ? `its record ${recorded.seq} is not the one that was written` : '';
}
