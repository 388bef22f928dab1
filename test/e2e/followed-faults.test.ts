import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isErrorCode } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { statusOf } from '../relay/told-host.ts';
import { seeded } from '../scenarios/seeded.ts';
import { startStack } from '../stack/start-stack.ts';
import {
  areaOf,
  difference,
  digest,
  type Files,
  filesIn,
  ghostly,
  keptBeside,
  volumeOn,
} from './followed-home.ts';
import {
  carriersNow,
  type Field,
  type Moment,
  mend,
  moments,
  strike,
  untilItWorks,
  untilMoment,
  type Victim,
  victims,
} from './followed-strikes.ts';
import { ownOn } from './replica-on.ts';
import { type Typed, type } from './typed.ts';

const policy = ghostly({ timeout: '2m' });

const long = process.env.CLAWRDEN_LONG === '1';
const seed = Number(process.env.CLAWRDEN_SEED ?? Date.now() % 1_000_000);
const rounds = long ? 100 : victims.length;
/** A host that is silent is given up after 15 s. */
const endWithinMs = 30_000;
const small = 60;
const largeBytes = 6_000_000;

describe.skipIf(!hasLab())(`faults in an exchange (CLAWRDEN_SEED=${seed})`, () => {
  const dice = seeded(seed);
  const names = Object.keys(moments) as Moment[];
  const plan = Array.from({ length: rounds }, (_, index) => {
    // Every victim in its turn and every moment with each, so that a short run misses no victim.
    const moment = names[(index + Math.floor(index / victims.length) + seed) % names.length]!;
    const victim = victims[index % victims.length]!;
    const afterMs = dice.below(moments[moment]);
    // Of four cut links three heal before the gateway gives the host up, which takes 15 s.
    const healed = victim === 'link' && Math.floor(index / victims.length) % 4 !== 0;
    return { round: index + 1, victim, moment, afterMs, ...(healed && { awayMs: dice.below(2000) }) };
  });
  let field: Field;
  let gatewayId = '';
  /** Victims whose end ended a command. */
  const felt = new Set<Victim>();
  /** Carriers at home that were seen. */
  const seen = new Set<number>();

  beforeAll(async () => {
    const host = sharedLab().hosts[0]!;
    const stack = await startStack(sharedLab(), {
      name: 'torn',
      policy,
      agents: { coder: { followed: {} } },
    });
    field = { stack, host, agent: 'coder', home: stack.workspaceOf('coder'), volume: '' };
    for (const name of stack.hosts) if (name !== host.name) await stack.cli(['drain', name]);
    await untilItWorks(() => start(':'));
    gatewayId = readFileSync(join(stack.dir, 'warden/gateway-id'), 'utf8').trim();
    field = { ...field, volume: await volumeOn(host, 'coder', gatewayId) };
  });
  afterAll(() => field?.stack.stop());

  const start = (line: string) => type(field.stack.agents['coder']!, ['ghostly', line]);

  test.each(plan)(
    '$round: $victim goes at $moment + $afterMs ms: each file is before or after, and the next command converges',
    async ({ round, victim, moment, afterMs, awayMs }) => {
      const { home, volume } = field;
      prepare(home, round);
      const before = filesIn(home);
      const after = written(before, round);
      const from = (await field.stack.audit()).length;
      const carriers = await carriersNow(field);
      for (const pid of carriers.home) seen.add(pid);
      const reached = untilMoment(moment, field);
      const typing = await start(script(round));
      await reached(typing);
      await sleep(afterMs);
      const began = performance.now();
      await strike(victim, field, carriers);
      let end: Typed;
      try {
        if (awayMs !== undefined) {
          await sleep(awayMs);
          await mend(victim, field);
        }
        end = await typing.ended;
        expect(performance.now() - began).toBeLessThan(endWithinMs);
        expect(explained(end)).toBe('');
        expect(torn(filesIn(home), before, after, end)).toEqual([]);
      } finally {
        await mend(victim, field);
      }
      await untilItWorks(() => start(':'));
      expect(difference(home, volume)).toBe('');
      const now = filesIn(home);
      expect(torn(now, before, after, end)).toEqual([]);
      if (end.code === 0) expect(now).toEqual(after);
      else felt.add(victim);
      if (!end.stdout.includes('written')) return;
      const kept = keptBeside(home);
      const missing = [...after].filter(([path, bytes]) => now.get(path) !== bytes);
      expect(missing.filter(([, bytes]) => !kept.has(bytes))).toEqual([]);
      if (missing.length === 0) return;
      const told = (await field.stack.audit()).slice(from).map(({ incident }) => incident);
      expect(told).toContain('workspace-late');
    },
    150_000,
  );

  test.runIf(long)('each of them ended a command at least once', () => {
    expect([...felt].sort()).toEqual([...victims].sort());
  });

  test('afterwards nothing is left but one replica and what is kept', async () => {
    const { stack, host, home, volume } = field;
    const { home: carriers } = await carriersNow(field);
    await stack.relay.end('SIGTERM');
    await stack.gateway.end('SIGTERM');
    const onHost = () => ownOn(host, gatewayId);
    await waitUntil('the carriers to end', 15_000, async () => (await onHost()).containers === 0);
    expect(await onHost()).toEqual({ containers: 0, volumes: 1 });
    expect([...seen, ...carriers].filter((pid) => /clawrden/.test(statusOf(pid)))).toEqual([]);
    for (const area of [areaOf(home), volume])
      for (const folder of ['stage', 'grave']) expect([...filesIn(join(area, folder)).keys()]).toEqual([]);
    const mounts = readFileSync('/proc/mounts', 'utf8');
    expect(mounts).not.toContain(home);
  });
});

/** Changes at home, so that there is something to send. */
function prepare(home: string, round: number): void {
  const folder = join(home, String(round));
  rmSync(join(home, String(round - 2)), { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'gone'), 'old');
  for (let count = 0; count < small; count++)
    writeFileSync(join(folder, `f${count}`), smallText(round, count));
  writeFileSync(join(folder, 'large'), largeText(round));
  execFileSync('chown', ['-R', '1000:1000', folder]);
}

const smallText = (round: number, count: number) => `before ${round} ${count}\n`.repeat(500);
const largeText = (round: number) => Buffer.alloc(largeBytes, `before ${round} `).toString();

/** What `script` makes of it. */
function written(before: Files, round: number): Files {
  const after = new Map(before);
  after.delete(`${round}/gone`);
  after.set(`${round}/large`, digest(`${largeText(round)}after\n`));
  for (let count = 0; count < small; count++) {
    after.set(`${round}/f${count}`, digest(`${smallText(round, count)}after ${round} ${count}\n`));
    after.set(`${round}/f${count}-new`, digest(`new ${round} ${count}\n`));
  }
  return after;
}

function script(round: number): string {
  return `echo runs; usleep 400000; cd ${round} && rm gone && echo after >> large && i=0
    while [ $i -lt ${small} ]; do
      echo "after ${round} $i" >> f$i; echo "new ${round} $i" > f$i-new; i=$((i+1))
    done; echo written`;
}

/** Paths that are neither before nor after. A tool that was stopped may have made a file and not yet written it. */
function torn(now: Files, before: Files, after: Files, { stdout }: Typed): string[] {
  const empty = stdout.includes('written') ? undefined : digest('');
  return [...new Set([...before.keys(), ...after.keys(), ...now.keys()])].filter((path) => {
    const is = now.get(path);
    const isBegun = is !== undefined && is === empty && !before.has(path) && after.has(path);
    return !isBegun && is !== before.get(path) && is !== after.get(path);
  });
}

/** Empty for its own end, and for a documented code with its one line. */
function explained({ code, signal, stderr }: Typed): string {
  const all = `${code} ${signal} ${stderr}`;
  if (code === 0) return stderr === '' ? '' : all;
  const reason = /^clawrden: ([a-z0-9-]+): .*\n$/.exec(stderr)?.[1] ?? '';
  return isErrorCode(reason) && exitCodes[reason] === code && reason !== 'internal' ? '' : all;
}
