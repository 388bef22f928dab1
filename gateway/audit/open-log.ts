import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { auditFiles, rotatedFiles, strayParts } from '../../src/audit/audit-files.ts';
import type { Link } from '../../src/audit/chain.ts';
import { hashAt, lastLink, lastRecord, PartFault } from '../../src/audit/last-link.ts';
import { type Rest, readRest } from '../../src/audit/rest-of-log.ts';
import { lockDescriptor } from '../../src/lock.ts';
import { cutAside } from './cut-aside.ts';
import { LogFile } from './log-file.ts';
import { dropSecondNames, removeUnused } from './new-file.ts';
import type { Recorded } from './witness.ts';

export interface OpenLog {
  readonly file: LogFile;
  /** The link that the next record follows. */
  readonly last: Link;
  /** What a person should know about it. */
  readonly faults: readonly LogFault[];
}

export interface LogFault {
  readonly incident: 'audit-broken' | 'audit-cut' | 'audit-stray' | 'database-lost';
  readonly text: string;
}

/**
 * Opens the log at `path` to continue after its last whole record, in any state that an earlier gateway left.
 * `recorded` is what a second place knows: if the log does not have that record, it continues after it all the same,
 * and reports a gap. Cuts off only the beginning of a record, which it keeps in a file of its own. Throws a line for
 * people that names the file, what is wrong with it, and what to do.
 */
export async function openLog(path: string, recorded: Recorded): Promise<OpenLog> {
  try {
    await checkKind(path);
    const { file, found, faults: cut } = await openFile(path);
    const faults = [...cut, ...(await strays(path))];
    // Only after it is known to be one of our logs.
    await removeUnused(path);
    await dropSecondNames(path);
    const { last, fault } = await continued(path, found, recorded);
    // A gap comes first: if nothing is left before it, the first record reports it.
    return { file, last, faults: fault === undefined ? faults : [fault, ...faults] };
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

/** Follows no link and leaves the content untouched. If others may not read the file, the kernel refuses. */
async function openFile(path: string): Promise<{ file: LogFile; found: Link; faults: LogFault[] }> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    lockDescriptor(handle.fd, `another gateway writes ${path}`);
    const last = await lastRecord(handle);
    const rest = await readRest(handle, last?.end ?? 0, last ?? (await lastLink(await rotatedFiles(path))));
    const faults = await finish(path, handle, last?.end ?? 0, rest);
    const file = await LogFile.take(path, handle);
    if (file.fault() === 'another file has its name') throw new Error('it was replaced; start again');
    return { file, found: { seq: rest.seq, hash: rest.hash }, faults };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Leaves only whole lines. */
async function finish(path: string, handle: FileHandle, end: number, rest: Rest): Promise<LogFault[]> {
  if (rest.lacksNewline) await handle.write('\n', (await handle.stat()).size);
  if (rest.unfinished.length === 0) return [];
  const aside = await cutAside(path, handle, { end, bytes: rest.unfinished });
  const what = `the last ${rest.unfinished.length} bytes of the audit ${path} were a record that was not finished`;
  return [{ incident: 'audit-cut', text: `${what}; they are in ${aside}` }];
}

async function continued(
  path: string,
  found: Link,
  recorded: Recorded,
): Promise<{ last: Link; fault?: LogFault }> {
  if (recorded === 'unknown') return { last: found };
  if (recorded === 'nothing')
    return { last: found, ...(found.seq > 0 && { fault: newDatabase(path, found) }) };
  if (recorded === 'something') return { last: found, ...(found.seq === 0 && { fault: goneOfOld(path) }) };
  const text = await gapOf(path, found, recorded);
  if (text === '') return { last: found };
  const last = { seq: Math.max(found.seq, recorded.seq), hash: recorded.hash };
  return { last, fault: { incident: 'audit-broken', text } };
}

/** They are skipped, not refused: a person who may write beside the log must not stop a start. */
async function strays(path: string): Promise<LogFault[]> {
  const [first, ...more] = await strayParts(path);
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `, and ${more.length} more like it`;
  const text = `${first} is not a regular file, so it is no part of the audit${others}; move it away`;
  return [{ incident: 'audit-stray', text }];
}

function goneOfOld(path: string): LogFault {
  return { incident: 'audit-broken', text: `the audit ${path} is gone; an earlier version wrote it` };
}

function newDatabase(path: string, { seq }: Link): LogFault {
  const gone =
    'agents are paused and relays revoked as the audit says; what was enrolled, asked and granted may be gone';
  return {
    incident: 'database-lost',
    text: `the audit ${path} goes up to record ${seq}, and the database is new: ${gone}`,
  };
}

async function gapOf(path: string, found: Link, recorded: Link): Promise<string> {
  const { seq } = recorded;
  if (seq === 0) return '';
  if (found.seq === 0) return `the audit ${path} is gone; it went up to record ${seq}`;
  if (found.seq < seq) return `the audit ${path} has lost its end, records ${found.seq + 1} to ${seq}`;
  const hash = found.seq === seq ? found.hash : await hashAt(await auditFiles(path), seq);
  if (hash === undefined || hash === recorded.hash) return '';
  return `the audit ${path} was exchanged: its record ${seq} is not the one that was written`;
}

function wayOut(error: unknown): string {
  const { file: part, cause } = error instanceof PartFault ? error : { file: '', cause: error };
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const why = message.replaceAll(/\s+/g, ' ');
  const way = waysOutOfCode[code] ?? wayOutOfContent(why, part);
  return `${part === '' ? '' : `${part}: `}${why}${way}`;
}

const ownership = "; make it and its folder the gateway's user's own";
const room = '; make room on its disk';
const waysOutOfCode: Readonly<Record<string, string>> = {
  EACCES: ownership,
  EPERM: ownership,
  ENOENT: '; make its folder',
  ENOSPC: room,
  EDQUOT: room,
};

/** If it is a part, the log itself has no record yet: the chain goes on after the newest file with the name of a part. */
function wayOutOfContent(why: string, part: string): string {
  const way = waysOut.find(([fault]) => fault.test(why))?.[1];
  if (way === undefined || part === '') return way ?? '';
  const name = `${basename(part)}.damaged`;
  return `; move it away, under a name that is no part's (${name}): the next start goes on without it and says what is missing`;
}

const waysOut: readonly (readonly [fault: RegExp, way: string])[] = [
  [/^it is not empty/, '; name another file under audit in gateway.yaml, or move this one away'],
  [
    /last line is no audit record|line of more|beginning of a record/,
    '; keep it as it is, under another name: the next start goes on without it and says what is missing',
  ],
];
