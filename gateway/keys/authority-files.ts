import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFiles } from '../../src/pki/state-files.ts';
import { syncFolder } from '../audit/log-file.ts';
import type { AuthorityPair } from './authorities.ts';

const { authority, authorityKey, server, serverKey } = stateFiles;
/** In the order in which they take the place of the former ones. */
const names = [authority, authorityKey, server, serverKey] as const;
const formerName = 'former.pem';
const untilName = 'until';

/** The next authority, whose folder is there from its rotation on until the former one has stopped. */
export interface NextAuthority extends AuthorityPair {
  /** PEM: the former one, by a certificate that ends when it stops. Absent if an earlier release made the folder. */
  readonly former?: string | undefined;
  /** Epoch milliseconds. */
  readonly formerUntil: number;
}

/** On the disk, and not in force: a start removes it. */
export async function stageAuthority(state: string, next: NextAuthority): Promise<void> {
  const folder = join(state, `${stateFiles.nextAuthority}.new`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const texts = {
    [authority]: next.authority.certificate,
    [authorityKey]: next.authority.key,
    [server]: next.server.certificate,
    [serverKey]: next.server.key,
    ...(next.former !== undefined && { [formerName]: next.former }),
    [untilName]: `${new Date(next.formerUntil).toISOString()}\n`,
  };
  for (const [name, text] of Object.entries(texts)) await writeSynced(join(folder, name), text);
  await syncFolder(join(folder, untilName));
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** From here on it is in force, over a restart too. If it throws, it is not, and will not be. */
export async function commitAuthority(state: string): Promise<void> {
  const folder = join(state, stateFiles.nextAuthority);
  await rename(`${folder}.new`, folder);
  try {
    await syncFolder(folder);
  } catch (error) {
    const isBack = await rename(folder, `${folder}.new`).then(
      () => true,
      () => false,
    );
    // What cannot be taken back is in force at the next start, and so it is now.
    if (isBack) throw error;
  }
}

/** Whether there was something that was not in force. */
export function dropStagedAuthority(state: string): boolean {
  const folder = join(state, `${stateFiles.nextAuthority}.new`);
  const isThere = existsSync(folder);
  rmSync(folder, { recursive: true, force: true });
  return isThere;
}

/** Its files take the place of the former ones'. Can be cut off anywhere, and done again. */
export function takeAuthority(state: string): void {
  const folder = join(state, stateFiles.nextAuthority);
  for (const name of names)
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(state, name));
  rmSync(folder, { recursive: true, force: true });
}

/** Before the state folder is read: does what is due since the former one stopped. */
export function takeDueAuthority(state: string): void {
  const folder = join(state, stateFiles.nextAuthority);
  if (!existsSync(folder)) return;
  const isWhole = [...names, untilName].every((name) => existsSync(join(folder, name)));
  if (!isWhole || untilIn(folder) <= Date.now()) takeAuthority(state);
}

export function readNextAuthority(state: string): NextAuthority | undefined {
  const folder = join(state, stateFiles.nextAuthority);
  if (!existsSync(folder)) return undefined;
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const hasFormer = existsSync(join(folder, formerName));
  return {
    former: hasFormer ? text(formerName) : undefined,
    authority: { certificate: text(authority), key: text(authorityKey) },
    server: { certificate: text(server), key: text(serverKey) },
    formerUntil: untilIn(folder),
  };
}

function untilIn(folder: string): number {
  const file = join(folder, untilName);
  const until = Date.parse(readFileSync(file, 'utf8').trim());
  if (Number.isNaN(until)) throw new Error(`${file}: it holds no time; restore it from a backup`);
  return until;
}
