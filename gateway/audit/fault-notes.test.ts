import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuditLog } from './audit-log.ts';
import { type FaultNotes, faultNotesIn, faultNotesInMemory, isNoted } from './fault-notes.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-notes-'));
});
afterEach(() => rm(dir, { recursive: true }));

const fault = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\ud800', 'é', ':'),
  minLength: 1,
  maxLength: 12,
});

const places: Record<string, (name: string) => FaultNotes> = {
  'a file': (name) => faultNotesIn(join(dir, name)),
  memory: faultNotesInMemory,
};

test.each(Object.keys(places))(
  'a fault is noted once, however it is spelled, in %s',
  { timeout: 120_000 },
  async (place) => {
    let count = 0;
    const runs = process.env.CLAWRDEN_LONG ? 1000 : 50;
    await fc.assert(
      fc.asyncProperty(fault, async (text) => {
        const notes = places[place]!(`notes-${count++}`);
        expect(isNoted(notes.read(), text)).toBe(false);
        for (let i = 0; i < 2; i += 1) await notes.add(text);
        expect(notes.read()).toHaveLength(1);
        expect(isNoted(notes.read(), text)).toBe(true);
        // Another fault may end like the one that is noted.
        await notes.add(`x ${text}`);
        expect(notes.read()).toHaveLength(2);
        expect(isNoted(notes.read(), text.slice(1))).toBe(false);
      }),
      { numRuns: runs },
    );
  },
);

test('a fault whose note is being saved is told once, also in a folder whose name has a line end', async () => {
  const folder = join(dir, 'of\ntwo lines');
  await mkdir(folder);
  const saved = faultNotesIn(join(dir, 'notes'));
  const cleared = Promise.withResolvers<void>();
  const faults: FaultNotes = {
    read: saved.read,
    add: async (text) => {
      await saved.add(text);
      await cleared.promise;
    },
  };
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const log = await openAuditLog(join(folder, 'audit.jsonl'), { key, faults });
  await log.append({ type: 'lifecycle', event: 'test', text: 'before' });
  await rm(join(folder, 'audit.jsonl'));
  await log.append({ type: 'lifecycle', event: 'test', text: 'after' });
  await expect.poll(saved.read).toHaveLength(1);
  expect(log.warnings()).toHaveLength(1);
  cleared.resolve();
  await log.close();
});
