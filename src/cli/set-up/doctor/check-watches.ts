import { readFile } from 'node:fs/promises';
import { doubtful, type Finding, good, messageOf } from './finding.ts';

export interface WatchLimits {
  readonly watches: number;
  readonly instances: number;
}

/** What a user's carriers may need. */
export interface WatchNeed {
  readonly uid: number;
  /** Of each workspace, how many entries it may have: each folder among them has a watch. */
  readonly entries: readonly number[];
}

const check = 'watches';

/** Whether the kernel has a watch for each folder: without, a carrier looks at every file before each command. */
export async function checkWatches(needs: readonly WatchNeed[]): Promise<Finding[]> {
  try {
    const [watches, instances] = await Promise.all([limitOf('watches'), limitOf('instances')]);
    return judgeWatches({ watches, instances }, needs);
  } catch (error) {
    return [doubtful(check, messageOf(error), 'see that /proc/sys/fs/inotify can be read')];
  }
}

export function judgeWatches({ watches, instances }: WatchLimits, needs: readonly WatchNeed[]): Finding[] {
  return needs.map(({ uid, entries }) => {
    const homes = entries.length;
    // One carrier takes at most half of all.
    const least = Math.max(2 * Math.max(...entries), sum(entries));
    const user = `user ${uid}`;
    const fix = (key: string, value: number) => `sysctl -w fs.inotify.max_user_${key}=${value}`;
    if (instances < homes)
      return doubtful(
        check,
        `${user} has ${instances} instances of inotify and ${homes} workspaces`,
        fix('instances', homes + 128),
      );
    const text = `${user} has ${watches} of inotify, and its workspaces up to ${sum(entries)} entries`;
    return watches < least ? doubtful(check, text, fix('watches', least)) : good(check, text);
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function limitOf(what: 'watches' | 'instances'): Promise<number> {
  return Number(await readFile(`/proc/sys/fs/inotify/max_user_${what}`, 'utf8'));
}
