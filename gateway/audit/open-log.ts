import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { auditFiles, rotatedFiles } from '../../src/audit/audit-files.ts';
import type { Link } from '../../src/audit/chain.ts';
import { type End, hashAt, lastLink, lastRecord } from '../../src/audit/last-link.ts';
import { LogFile } from './log-file.ts';
import { dropSecondNames, removeUnused } from './new-file.ts';
import type { Recorded } from './witness.ts';

export interface OpenLog {
  readonly file: LogFile;
  /** What the next record follows. */
  readonly last: Link;
  /** What a person should know of it. */
  readonly fault?: LogFault;
}

export interface LogFault {
  readonly incident: 'audit-broken' | 'database-lost';
  readonly text: string;
}

/**
 * Opens the log at `path` to go on behind its last whole record, wherever a gateway before was stopped. `recorded` is
 * what a second place knows of it: a log that does not have that record goes on behind it all the same, and tells of a
 * gap. Throws a line for people that names the file, what is wrong with it, and the way out.
 */
export async function openLog(path: string, recorded: Recorded): Promise<OpenLog> {
  try {
    await checkKind(path);
    await removeUnused(path);
    await dropSecondNames(path);
    const { file, found } = await openFile(path);
    return { file, ...(await continued(path, found, recorded)) };
  } catch (error) {
    throw new Error(`the audit ${path} cannot be used: ${wayOut(error)}`, { cause: error });
  }
}

async function checkKind(path: string): Promise<void> {
  const there = await lstat(path).catch(ignoreAbsent);
  if (there !== undefined && !there.isFile()) {
    throw new Error(
      'it is not a regular file; name another one under audit in gateway.yaml, or move it away',
    );
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

/** By no link and without its content being touched: the kernel says no where others may not read it. */
async function openFile(path: string): Promise<{ file: LogFile; found: Link }> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const last: End | undefined = await lastRecord(handle);
    const file = await LogFile.take(path, handle, last?.end ?? 0);
    if (file.fault() === 'another file has its name') throw new Error('it was replaced; start again');
    return { file, found: last ?? (await lastLink(await rotatedFiles(path))) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function continued(path: string, found: Link, recorded: Recorded): Promise<Omit<OpenLog, 'file'>> {
  if (recorded === 'unknown') return { last: found };
  if (recorded === 'nothing')
    return { last: found, ...(found.seq > 0 && { fault: newDatabase(path, found) }) };
  const text = await gapOf(path, found, recorded);
  if (text === '') return { last: found };
  const last = { seq: Math.max(found.seq, recorded.seq), hash: recorded.hash };
  return { last, fault: { incident: 'audit-broken', text } };
}

function newDatabase(path: string, { seq }: Link): LogFault {
  const gone =
    'what agents were paused, which relays were revoked and what was asked may be gone with another one';
  return {
    incident: 'database-lost',
    text: `the audit ${path} goes up to record ${seq}, and the database is new: ${gone}`,
  };
}

async function gapOf(path: string, found: Link, recorded: Link): Promise<string> {
  const { seq } = recorded;
  if (found.seq === 0)
    return `the audit ${path} is gone; it went up to record ${seq || 'of an earlier version'}`;
  if (seq === 0) return '';
  if (found.seq < seq) return `the audit ${path} has lost its end, records ${found.seq + 1} to ${seq}`;
  const hash = found.seq === seq ? found.hash : await hashAt(await auditFiles(path), seq);
  if (hash === undefined || hash === recorded.hash) return '';
  return `the audit ${path} was exchanged: its record ${seq} is not the one that was written`;
}

function wayOut(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = message.replaceAll(/\s+/g, ' ');
  if (code === 'EACCES' || code === 'EPERM') return `${why}; make it and its folder the gateway's user's own`;
  if (code === 'ENOENT') return `${why}; make its folder`;
  if (code === 'ENOSPC' || code === 'EDQUOT') return `${why}; make room on its disk`;
  if (!/no audit record|line of more/.test(why)) return why;
  return `${why}; keep it as it is, under another name: the next start goes on without it and says what is missing`;
}
