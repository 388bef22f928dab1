import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFiles } from '../../src/pki/state-files.ts';
import { commitAuthority, readNextAuthority, stageAuthority } from './authority-files.ts';

const nobody = 65_534;

/** A folder that its user may change and not open, so that it cannot be synced; root may do all, and is nobody here. */
async function withoutSync(folder: string, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  await chmod(folder, 0o300);
  if (isRoot) {
    await chown(folder, nobody, nobody);
    process.seteuid?.(nobody);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(folder, 0o700);
  }
}

test('A-345 P5: an authority of which nobody knows whether it is on the disk is not in force at the next start', async () => {
  const outer = await mkdtemp(join(tmpdir(), 'clawrden-authority-'));
  await chmod(outer, 0o755);
  const state = join(outer, 'state');
  await mkdir(state);
  const pair = { certificate: 'a certificate', key: 'its key' };
  await stageAuthority(state, { authority: pair, server: pair, formerUntil: 1_000_000 });
  // A folder that is renamed may be its owner's only.
  await chown(join(state, `${stateFiles.nextAuthority}.new`), nobody, nobody).catch(() => {});
  await withoutSync(state, async () => {
    await expect(commitAuthority(state)).rejects.toThrow('EACCES');
  });
  expect(readNextAuthority(state)).toBeUndefined();
  await commitAuthority(state);
  expect(readNextAuthority(state)).toMatchObject({ authority: pair, formerUntil: 1_000_000 });
  await rm(outer, { recursive: true });
});
