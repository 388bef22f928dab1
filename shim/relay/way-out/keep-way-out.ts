import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { abortable, deadline } from '../../../src/abort.ts';
import type { AgentContainer } from '../../../src/agent-container.ts';
import type { Identity } from '../../../src/command.ts';
import { backoffMs } from '../control/backoff.ts';
import type { TellProblem } from '../control/keep-each.ts';
import type { Link } from '../control/renewing-link.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import type { Doors } from './doors.ts';
import { carryWayOut } from './way-out-lane.ts';

/** An agent that has a way out of its own: where its program runs, and as whom. */
export interface WayOutWish {
  readonly container: AgentContainer;
  readonly user: Identity;
}

export interface WayOutParts {
  readonly link: Pick<Link, 'wayOut' | 'waitForReady'>;
  readonly engine: Pick<AgentEngine, 'look' | 'startWayOut'>;
  readonly doors: Doors;
  readonly log: Logger;
}

const readyTimeoutMs = 30_000;
const startWithinMs = 10_000;
const stableMs = 30_000;
/** So soon a container that starts has its way out. */
const lookEveryMs = 1000;
/** So soon a second container of the agent ends it. */
const lookAgainMs = 5000;

/**
 * Keeps an agent's way out until `signal` aborts: while its one container runs, a program in it and a lane to the
 * gateway, begun again if either ends. While none runs, the program of a sandbox may ask, which starts it by itself.
 * Never rejects.
 */
export async function keepWayOut(
  agent: string,
  wish: WayOutWish,
  parts: WayOutParts,
  tell: TellProblem,
  signal: AbortSignal,
): Promise<void> {
  const log = parts.log.child({ agent });
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  for (let failures = 0; !signal.aborted; failures += 1) {
    if (!(await abortable(parts.link.waitForReady(readyTimeoutMs), signal).catch(() => false))) continue;
    const asking = await untilNeeded(agent, wish, parts, signal);
    if (signal.aborted) {
      asking?.destroy();
      return;
    }
    const began = performance.now();
    const why = await keepOnce(agent, wish, asking, { ...parts, log }, tell, signal);
    // The next sandbox is there when it is there: nothing is started here that could fail again and again.
    if (asking !== undefined || performance.now() - began > stableMs) failures = 0;
    const retryMs = asking === undefined ? Math.round(backoffMs(failures)) : 0;
    if (!signal.aborted) log.warn({ why, retryMs }, 'the way out is not kept');
    await pause(retryMs);
  }
}

/** Until its one container runs, and then `undefined`; or with the connection of a sandbox's program. */
async function untilNeeded(
  agent: string,
  wish: WayOutWish,
  parts: WayOutParts,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  using door = parts.doors.expect(agent);
  const asked = new AbortController();
  let asking: Socket | undefined;
  void door.socket.then((socket) => {
    asking = socket;
    asked.abort();
  });
  const woken = AbortSignal.any([signal, asked.signal]);
  while (!woken.aborted && !(await mayRun(wish, parts)))
    await sleep(lookEveryMs, undefined, { signal: woken }).catch(() => {});
  return asking;
}

/** Its one container runs. The report says why if not. */
async function mayRun({ container }: WayOutWish, { engine }: WayOutParts): Promise<boolean> {
  const { running, problem } = await engine.look(container);
  return running && problem === '';
}

/** Resolves with the reason for its end. `asking` is a sandbox's, in whose place no container runs. */
async function keepOnce(
  agent: string,
  wish: WayOutWish,
  asking: Socket | undefined,
  parts: WayOutParts,
  tell: TellProblem,
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const change = asking === undefined ? 'its container is not as it was' : 'a container of it runs, too';
  const looking = setInterval(() => {
    void mayRun(wish, parts).then((may) => {
      if (may !== (asking === undefined)) over.abort(new Error(change));
    });
  }, lookAgainMs);
  try {
    const socket = asking ?? (await startProgram(agent, wish, parts, until));
    tell('');
    parts.log.info('the way out is kept');
    return await carryWayOut(agent, socket, parts.link.wayOut(), until);
  } catch (error) {
    const { message } = error as Error;
    if (!signal.aborted) tell(`its way out is not kept: ${message}`);
    return message;
  } finally {
    clearInterval(looking);
  }
}

/** Its connection to the agent's socket. */
async function startProgram(
  agent: string,
  { container, user }: WayOutWish,
  { doors, engine }: WayOutParts,
  signal: AbortSignal,
) {
  const late = () => new Error(`its program did not ask within ${startWithinMs / 1000} s`);
  using until = deadline(startWithinMs, late, signal);
  using door = doors.expect(agent);
  const { said } = await engine.startWayOut(container, user, until.signal);
  const failed = said.then((text) => {
    throw new Error(text.replace(/^clawrden: /, '') || 'its program ended');
  });
  failed.catch(() => {});
  return await abortable(Promise.race([door.socket, failed]), until.signal);
}
