import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientDuplexStream, type StatusObject, status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { abortable, onAbort } from '../../../src/abort.ts';
import type { AgentContainer } from '../../../src/agent-container.ts';
import type {
  AgentReport,
  AgentState,
  SynchronizeRequest,
  SynchronizeResponse,
} from '../../../src/gen/clawrden/v1/relay.ts';
import { latestOnly } from '../../../src/latest-only.ts';
import { packageVersion } from '../../../src/package-version.ts';
import { contract } from '../../../src/wire/contract.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import { backoffMs } from './backoff.ts';
import type { Halt, Wish } from './halt.ts';
import type { NoteRefusal } from './refusal-note.ts';
import type { Link } from './renewing-link.ts';
import { createReporter } from './reporter.ts';

export interface SynchronizedAgent {
  readonly name: string;
  readonly container: AgentContainer;
  /** Makes exactly these tools callable for it. Resolves with those that are. */
  readonly setTools: (tools: readonly string[]) => Promise<string[]>;
  readonly halt: Halt;
  /** Empty, or why its socket is not served now. */
  readonly problem: () => string;
}

/** The agents that the relay serves now. */
export interface SynchronizedAgents {
  readonly all: () => readonly SynchronizedAgent[];
  /** Those that cannot be served, or not in whole, with the reason. */
  readonly refused: () => ReadonlyMap<string, string>;
  /** Empty, or why the next start would not know what the gateway told last. */
  readonly unwritten: () => string;
  /** Serves what the gateway tells of, and no longer what it told of earlier. Never rejects. */
  readonly follow: (told: readonly AgentState[]) => Promise<void>;
  /** Tries again what could not be served. Never rejects. */
  readonly mend: () => Promise<void>;
}

export interface SynchronizeOptions {
  readonly agents: SynchronizedAgents;
  readonly link: Pick<Link, 'synchronize' | 'refusal'>;
  readonly engine: AgentEngine;
  /** Called whenever the state that the gateway wants is in place. */
  readonly onApplied: () => void;
  readonly noteRefusal: NoteRefusal;
  readonly log: Logger;
}

const readyTimeoutMs = 30_000;
const lookAgainMs = 10_000;
const stableMs = 30_000;
/** A gateway ends a stream that its relay has ended. */
const leaveMs = 2_000;

interface End {
  readonly why: string;
  /** Try again soon: the gateway is there, or trying waits for it. */
  readonly isSoon?: boolean;
  /** Another connection of this relay goes on. */
  readonly isRenewed?: boolean;
}

type Stream = ClientDuplexStream<SynchronizeRequest, SynchronizeResponse>;

/** Until `signal` aborts, keeps the gateway informed and the jails as it wants them, over one stream at a time. */
export async function synchronize(options: SynchronizeOptions, signal: AbortSignal): Promise<void> {
  const tools = new Map<string, readonly string[]>();
  for (let failures = 0; !signal.aborted; failures += 1) {
    const began = performance.now();
    const { why, isSoon = false, isRenewed = false } = await session(options, tools, signal);
    if (isRenewed) continue;
    if (performance.now() - began > stableMs || isSoon) failures = 0;
    const retryMs = Math.round(backoffMs(failures));
    if (!signal.aborted) options.log.warn({ why, retryMs }, 'not synchronized');
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

/** Resolves with the reason for its end. */
async function session(
  options: SynchronizeOptions,
  tools: Map<string, readonly string[]>,
  signal: AbortSignal,
): Promise<End> {
  const opening = options.link.synchronize(readyTimeoutMs);
  // A gateway that is away must not hold up the end of its relay.
  const opened = await abortable(opening, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (opened === undefined) return { why: 'the gateway does not answer', isSoon: true };
  const { stream, renewed } = opened;
  const version = packageVersion();
  const report = createReporter(
    () => describe(options, tools),
    (agents) => {
      if (stream.writable) stream.write({ version, contract, agents });
    },
  );
  const onFailure = (error: unknown) =>
    options.log.error({ error }, 'what the gateway wants was not taken up');
  // The gateway waits for a report after each message, also if nothing had to change; the next one does not.
  const reportTaken = latestOnly(() => report(true), onFailure);
  const takeUp = async (state: SynchronizeResponse) => {
    const refusal = options.link.refusal();
    await options.noteRefusal(refusal?.message ?? '');
    if (refusal !== undefined) return leaveRefused(stream, version);
    await applyState(options, tools, state);
    reportTaken({});
    options.onApplied();
  };
  // A stream that the relay itself left because of its gateway's release.
  const whyNow = (end: End): End => ({ ...end, why: options.link.refusal()?.message ?? end.why });
  stream.on('data', latestOnly(takeUp, onFailure));
  void report();
  const again = setInterval(() => void options.agents.mend().then(() => report()), lookAgainMs);
  const leaving = onAbort(signal, () => stream.cancel());
  const ended = endOf(stream)
    .then(whyNow)
    .finally(() => {
      clearInterval(again);
      leaving[Symbol.dispose]();
    });
  return await Promise.race([ended, renewed.then(() => ({ why: '', isRenewed: true }))]);
}

/** Its gateway is told why, so that people see it there. */
function leaveRefused(stream: Stream, version: string): void {
  if (!stream.writable) return;
  stream.end({ version, contract, agents: [] });
  setTimeout(() => stream.cancel(), leaveMs).unref();
}

function endOf(stream: Stream): Promise<End> {
  return new Promise((resolve) => {
    // The status has the reason for the end. It comes after an error, or alone if the gateway ends the stream without
    // one.
    stream.on('error', () => {});
    stream.on('status', ({ code, details }: StatusObject) => {
      if (code === status.OK) resolve({ why: 'the gateway ended the stream' });
      // A displaced relay connects again at once, so that the gateway sees both connections.
      else resolve({ why: details, isSoon: code === status.ABORTED });
    });
  });
}

async function describe(
  { agents, engine }: SynchronizeOptions,
  tools: ReadonlyMap<string, readonly string[]>,
): Promise<AgentReport[]> {
  const refusals = new Map(agents.refused());
  const all = agents.all();
  const served = await Promise.all(
    all.map(async ({ name, container, halt, problem: unserved }) => {
      const { running, problem } = await engine.look(container);
      // What reads it on the disk, a sandbox or a start of this relay, would go on.
      const unkept = halt.halted() && agents.unwritten() !== '';
      const notKept = unkept ? `its halt cannot be kept: ${agents.unwritten()}` : '';
      return {
        name,
        containerRunning: running,
        problem: halt.problem() || notKept || unserved() || refusals.get(name) || problem,
        tools: [...(tools.get(name) ?? [])],
        halted: halt.halted() && !unkept,
      };
    }),
  );
  for (const { name } of all) refusals.delete(name);
  const refused = [...refusals].map(([name, problem]) => ({ ...absent, name, problem }));
  return [...served, ...refused];
}

const absent = { containerRunning: false, tools: [], halted: false };

async function applyState(
  { agents, log }: SynchronizeOptions,
  tools: Map<string, readonly string[]>,
  { agents: told, lockdown }: SynchronizeResponse,
): Promise<void> {
  const states = told.map((state) => ({ ...state, paused: state.paused || lockdown }));
  const stateOf = (name: string) => states.find((agent) => agent.name === name);
  // An agent that the gateway does not know has no tools; the gateway does not say whether it is halted.
  const setHalt = async ({ name, halt }: SynchronizedAgent) => {
    const state = stateOf(name);
    if (state !== undefined) await halt.apply(wishOf(state));
  };
  const setJail = async ({ name, setTools }: SynchronizedAgent) => {
    try {
      tools.set(name, await setTools(stateOf(name)?.tools ?? []));
    } catch (error) {
      log.error({ agent: name, error }, 'the jail could not be brought up to date');
    }
  };
  const served = agents.all();
  const isNew = ({ halt }: SynchronizedAgent) => !served.some((agent) => agent.halt === halt);
  const followed = async () => {
    await agents.follow(states);
    const all = agents.all();
    await Promise.all([...all.map(setJail), ...all.filter(isNew).map(setHalt)]);
  };
  // What is to halt waits for no disk, and no jail waits for an engine.
  await Promise.all([followed(), ...served.map(setHalt)]);
}

function wishOf({ killed, paused }: AgentState): Wish {
  if (killed) return 'killed';
  return paused ? 'paused' : 'active';
}
