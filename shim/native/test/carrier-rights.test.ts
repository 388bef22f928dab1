import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, type Place } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

/** Runs as the agent, as both its own programs and its tools do. */
function asAgent({ root }: Place, script: string): void {
  const become = [`--reuid=${agent.uid}`, `--regid=${agent.gid}`, '--clear-groups'];
  execFileSync('setpriv', [...become, 'sh', '-ec', script], { cwd: root });
}

function refusedOf(brought: Awaited<ReturnType<typeof bringHome>>): string[] {
  return (brought?.exchanged.applied.refused ?? []).map(({ path }) => path.toString());
}

describe.runIf(isRoot).each(buildsOrOnly('static'))('what the agent itself may not ($name)', (build) => {
  /** A home that is only the agent, and a replica. */
  async function made(): Promise<Pair> {
    const pair = await Pair.make(build.carrier, build.under, agent, ({ folder }) => {
      toAgent(folder);
      return [];
    });
    chownSync(pair.homePlace.folder, 0, 0);
    for (const { folder } of [pair.homePlace, pair.replicaPlace]) chmodSync(folder, 0o755);
    return pair;
  }

  /** A tool runs on the replica's host; resolves with the paths that home refused. */
  async function tool({ home, replica, replicaPlace }: Pair, script: string) {
    await sendOut(home.session, replica.session);
    asAgent(replicaPlace, script);
    const brought = await bringHome(home.session, replica.session);
    return refusedOf(brought);
  }

  test('12: what a tool changes in folders that are read-only before and after it is so at home', async () => {
    await using pair = await made();
    const closed = 'chmod -R a-w m';
    const open = 'chmod -R u+w m';
    const scripts = [
      `mkdir -p m/a/b; echo 1 >m/a/b/1; echo 2 >m/2; setfattr -n user.x -v y m/2 m/a; ${closed}`,
      `${open}; echo more >>m/a/b/1; echo 3 >m/a/b/3; rm m/2; ln -s x m/link; setfattr -n user.x -v z m/a; ${closed}`,
      `chmod u+w m/a; echo stays open >m/a/file`,
      `${open}; mv m/a m/c; mkdir m/a; echo q >m/a/q; ${closed}`,
      `${open}; rm -r m/a; echo 'no folder any more' >m/a; ${closed}`,
      `${open}; rm -r m; mkdir -p m/only; ${closed}`,
      `${open}; rm -r m`,
    ];
    for (const script of scripts) {
      expect([script, await tool(pair, script)]).toEqual([script, []]);
      expect([script, pair.difference]).toEqual([script, '']);
      expect(await sendOut(pair.home.session, pair.replica.session)).toBeUndefined();
    }
  });

  test('12: a read-only folder at home is still one if home refuses what was to come into it', async () => {
    await using pair = await made();
    asAgent(pair.homePlace, 'mkdir m; echo before >m/both; chmod 555 m');
    await sendOut(pair.home.session, pair.replica.session);
    asAgent(pair.replicaPlace, 'echo tool >m/both');
    asAgent(pair.homePlace, 'echo agent >m/both');
    const brought = await bringHome(pair.home.session, pair.replica.session);
    expect(refusedOf(brought)).toEqual(['m/both']);
    expect(readFileSync(join(pair.homePlace.root, 'm/both'), 'utf8')).toBe('agent\n');
    expect(statSync(join(pair.homePlace.root, 'm')).mode & 0o7777).toBe(0o555);
  });

  test('12: a file that home could not read is not replaced: what the replica has of it is not known to be all', async () => {
    await using pair = await made();
    asAgent(pair.homePlace, 'echo long >unread; : >empty; chmod 0 unread empty');
    const add = 'chmod 600 unread empty; echo more >>unread; echo more >>empty';
    expect(await tool(pair, add)).toEqual(['unread']);
    expect(readFileSync(join(pair.homePlace.root, 'unread'), 'utf8')).toBe('long\n');
    expect(readFileSync(join(pair.homePlace.root, 'empty'), 'utf8')).toBe('more\n');
    expect(await tool(pair, 'rm unread')).toEqual([]);
    expect(pair.difference).toBe('');
  });
});
