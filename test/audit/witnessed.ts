import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditLog, openAuditLog } from '../../gateway/audit/audit-log.ts';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import { faultNotesIn } from '../../gateway/audit/fault-notes.ts';
import { auditPosition } from '../../gateway/store/audit-position.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { type AuditReport, verifyAudit } from '../../src/audit/verify-audit.ts';

/** An audit, and a database that knows its end, as in a gateway. */
export interface Witnessed extends AsyncDisposable {
  readonly dir: string;
  readonly file: string;
  /** One run of the log; disposing of it stops it cleanly. */
  readonly open: (maxBytes?: number) => Promise<AuditLog & AsyncDisposable>;
  /** The content of all files of the log, oldest first. */
  readonly texts: () => Promise<string[]>;
  readonly incidents: (kind?: string) => Promise<string[]>;
  readonly verify: () => Promise<AuditReport>;
}

interface Line {
  readonly type: string;
  readonly incident?: string;
  readonly text?: string;
}

const { privateKey: key } = generateKeyPairSync('ed25519');

export const note = (text: string): AuditRecord => ({ type: 'lifecycle', event: 'test', text });

export async function newWitnessed(): Promise<Witnessed> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-audit-'));
  const file = join(dir, 'audit.jsonl');
  const records = async () => linesOf(await auditFiles(file));
  return {
    dir,
    file,
    open: async (maxBytes) => {
      const database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
      const witness = auditPosition(database);
      const faults = faultNotesIn(join(dir, 'faults.txt'));
      const log = await openAuditLog(file, {
        key,
        witness,
        faults,
        ...(maxBytes !== undefined && { maxBytes }),
      });
      const close = async () => {
        await log.close();
        await database.destroy();
      };
      return { ...log, close, [Symbol.asyncDispose]: close };
    },
    texts: async () =>
      (await records()).flatMap(({ type, text }) => (type === 'lifecycle' && text ? [text] : [])),
    incidents: async (kind = 'audit-broken') =>
      (await records()).flatMap(({ incident, text }) => (incident === kind && text ? [text] : [])),
    verify: async () => await verifyAudit(await auditFiles(file), { key: createPublicKey(key) }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Leaves out lines that are not JSON. */
async function linesOf(files: readonly string[]): Promise<Line[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text) =>
    text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    }),
  );
}

/** The content of every file in a folder. */
export async function contents(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}
