import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, u8, u64 } from '../../../src/carrier-client/payload.ts';
import type { Place } from './carrier-process.ts';

const noId = Buffer.alloc(32);
/** None that the test makes has it. */
const otherInode = 1;

/** What a commit had taken out: it is in a grave of the stage, or where its new version was staged. */
interface Out {
  readonly path: string;
  readonly staged?: string;
}

/** As the carrier lists it before its moves. */
function listOf(folder: bigint, out: readonly Out[]): Buffer {
  const ops = out.map(({ path, staged }, op) => {
    const more = staged === undefined ? [u8(0)] : [u8(1), u64(otherInode), noId, text(staged)];
    return Buffer.concat([u64(op), text(path), ...more]);
  });
  const list = Buffer.concat([u64(folder), u64(out.length), ...ops]);
  return Buffer.concat([list, createHash('sha256').update(list).digest()]);
}

/**
 * The stage of a commit that was killed at this time. It had taken out `deleted`, and had swapped out `swapped`, which
 * nobody may remove. Returns where it was to keep things in `kept`.
 */
export function unfinishedStage({ area }: Place, killedAt = Date.now()): string {
  const stage = join(area, 'stage');
  mkdirSync(stage, { recursive: true, mode: 0o700 });
  for (const [name, bytes] of [
    ['g0', 'what was deleted'],
    ['s1', 'what was swapped'],
  ] as const)
    writeFileSync(join(stage, name), bytes);
  const folder = BigInt(killedAt) * 1_000_000n;
  const out: readonly Out[] = [{ path: 'deleted' }, { path: 'swapped', staged: 's1' }];
  writeFileSync(join(stage, 'commit'), listOf(folder, out), { mode: 0o600 });
  return `${folder}`;
}
