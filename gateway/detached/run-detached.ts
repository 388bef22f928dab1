import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Execute, Resume } from '../execute.ts';
import { gatherResult } from '../execution/gather-result.ts';
import type { Ledger } from '../execution/ledger.ts';
import { WholeInput } from '../execution/whole-input.ts';
import type { Channel, ToCaller } from '../ports/channel.ts';
import type { Detached, Underway } from '../ports/detached.ts';
import { principalName } from '../ports/principal.ts';
import type { Unfinished } from '../store/detached-rows.ts';
import type { History } from '../store/history.ts';
import { createEnds, type EndsParts, keyOf } from './ends.ts';
import { createLives, type Lives, type LivesParts } from './lives.ts';
import { callerOf, resultOf } from './result-of-record.ts';

export interface DetachedParts extends LivesParts, Pick<EndsParts, 'log'> {
  readonly execute: Execute;
  readonly resume: Resume;
  readonly ledger: Pick<Ledger, 'running'>;
  readonly history: Pick<History, 'get'>;
}

export interface OpenDetached extends Detached {
  /** Once, after the executions that wait for a person are restored. Resolves with how many go on. */
  readonly restore: () => Promise<number>;
  /** Resolves when what has ended is on the disk, or cannot be. */
  readonly close: () => Promise<void>;
}

export const detachedInputBytes = 1024 * 1024;

export function createDetached(parts: DetachedParts): OpenDetached {
  const { rows } = parts;
  const lives = createLives(parts);
  const ends = createEnds(parts);
  const underways = new Map<string, Underway>();

  async function keepEnd({ caller, id }: Named, underway: Underway): Promise<void> {
    underways.set(keyOf(caller, id), underway);
    ends.keep(caller, id, await underway.ended);
    underways.delete(keyOf(caller, id));
  }

  return {
    start: async (caller, request, input) => {
      if ((input?.length ?? 0) > detachedInputBytes)
        throw new ClawrdenError('too-large', 'the stdin of a detached execution has 1 MiB at most');
      ends.checkRoom();
      const named = { caller: principalName(caller), id: request.executionId };
      const { begun, underway, cancel } = follow(lives, { ...named, input }, (channel) =>
        parts.execute(caller, request, channel),
      );
      const first = await Promise.race([begun, underway.ended]);
      // It was refused, and its caller is told: nobody asks for it again.
      if (first !== 'begun') return first;
      await rows.add(named.caller, named.id, input).catch((error: unknown) => {
        cancel();
        throw error;
      });
      void keepEnd(named, underway);
      return first;
    },
    result: async (caller, id) => ends.find(caller, id) ?? (await rows.find(caller, id)),
    underway: (caller, id) => underways.get(keyOf(caller, id)),
    restore: async () => {
      const open = await rows.unfinished();
      const restored = await Promise.all(open.map((row) => restore(row, parts, lives)));
      for (const each of restored) if (each !== undefined) void keepEnd(each.row, each.underway);
      return restored.filter((each) => each !== undefined).length;
    },
    close: async () => {
      lives.close();
      await ends.close();
    },
  };
}

interface Named {
  readonly caller: string;
  readonly id: string;
}

/** It lives until it has ended, or until its principal is over. */
function follow(
  lives: Lives,
  { caller, input }: Unfinished,
  run: (channel: Channel) => Promise<Outcome>,
): {
  readonly begun: Promise<'begun'>;
  readonly underway: Underway;
  readonly cancel: () => void;
} {
  const life = lives.add(caller);
  const gathered = gatherResult();
  const begun = Promise.withResolvers<'begun'>();
  const take = (item: ToCaller) => {
    begun.resolve('begun');
    return gathered.take(item);
  };
  const ended = run(new WholeInput(life.gone, input, take, true)).then((outcome) => {
    lives.remove(life);
    return gathered.result(outcome);
  });
  const cancel = () => lives.end(life, 'it could not be kept: the database is not writable');
  return { begun: begun.promise, underway: { ...gathered.soFar, ended }, cancel };
}

/** One that an earlier gateway left: it goes on if a person is still asked, and else it has ended. */
async function restore(
  row: Unfinished,
  { ledger, history, resume, rows }: DetachedParts,
  lives: Lives,
): Promise<{ readonly row: Named; readonly underway: Underway } | undefined> {
  const { caller, id } = row;
  const waiting = ledger.running().find((record) => record.caller === caller && record.id === id);
  if (waiting !== undefined) {
    const request = { executionId: id, planHash: waiting.planHash };
    const { underway } = follow(lives, row, (channel) => resume(callerOf(caller), request, channel));
    return { row, underway };
  }
  const record = await history.get(caller, id);
  if (record?.state === 'ended') await rows.end(caller, id, resultOf(record));
  else await rows.forget(caller, id);
  return undefined;
}
