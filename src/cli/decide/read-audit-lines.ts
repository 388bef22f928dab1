import { verifiedRecord } from '../../audit/chain.ts';
import type { AuditLine } from '../../gen/clawrden/v1/warden.ts';
import { asciiJson } from '../../text/ascii-json.ts';
import { tell } from '../print/tell.ts';
import { CliError } from '../reach/cli-error.ts';

/** Where a reader of the audit is, who asks for a page after the other. */
export interface AuditReader {
  /** The number of the record with which the next page begins. */
  readonly next: () => number;
  /** The lines as text for stdout, each line once; empty if there is nothing new. Throws if a record does not follow the one before. */
  readonly read: (lines: readonly Pick<AuditLine, 'record' | 'damaged'>[]) => string;
  /** Throws if the log ends before what was asked for or read: it is another one. */
  readonly mustReach: (newest: number) => void;
}

/** So many lines in a row that are no records are no audit. */
const mostDamaged = 500;

export function createAuditReader(from: number): AuditReader {
  let [next, hash] = [from, ''];
  /** Lines behind the last record that are no records: a page that begins there has them again. */
  const shown = new Set<string>();

  function recordText(line: string): string {
    const record = verifiedRecord(line);
    if (record === undefined) return damagedText(line);
    const { seq, prev } = record;
    if (seq < next) return '';
    if (seq > next) tell(`clawrden: audit: ${missing(next, seq - 1)} not there`);
    else if (hash !== '' && prev !== hash) throw changed(seq);
    [next, hash] = [seq + 1, record.hash];
    shown.clear();
    return `${line}\n`;
  }

  function damagedText(line: string): string {
    if (shown.has(line)) return '';
    if (shown.size === mostDamaged)
      throw new CliError('audit', `${mostDamaged} lines behind record ${next - 1} are no records`, wayOut);
    shown.add(line);
    return `${asciiJson(line)}\n`;
  }

  return {
    next: () => next,
    read: (lines) => lines.map(({ record, damaged }) => recordText(record || damaged)).join(''),
    mustReach: (newest) => {
      if (newest < next - 1) throw shorter(newest, next - 1);
    },
  };
}

const wayOut = 'see clawrden audit verify on its machine';

function missing(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}

function changed(seq: number): CliError {
  return new CliError('audit', `record ${seq} does not follow the record ${seq - 1} that was read`, wayOut);
}

function shorter(newest: number, before: number): CliError {
  return new CliError('audit', `it ends with record ${newest}, before record ${before}`, wayOut);
}
