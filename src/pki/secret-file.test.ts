import { lstatSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stageIdentityFile } from './identity-files.ts';
import { writeSecretFile } from './secret-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-secret-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const writers = [
  ['a secret', (file: string) => writeSecretFile(file, 'secret')],
  ['the key of an identity', () => stageIdentityFile(folder, 'key', 'secret')],
] as const;

test.each(writers)(
  'A-387: %s goes to no link and to no file that somebody made before',
  async (_what, write) => {
    const file = join(folder, 'key.pem.new');
    const bait = join(folder, 'bait');
    writeFileSync(bait, '');
    symlinkSync(bait, file);
    await write(file);
    expect(readFileSync(bait, 'utf8')).toBe('');
    rmSync(file);
    writeFileSync(file, '', { mode: 0o666 });
    const open = openSync(file, 'r');
    await write(file);
    expect(readFileSync(open, 'utf8')).toBe('');
    const stats = lstatSync(file);
    expect([stats.isFile(), stats.mode & 0o777, readFileSync(file, 'utf8')]).toEqual([true, 0o600, 'secret']);
  },
);
