import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientDuplexStream, type StatusObject, status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { GatewayClient } from '../../../src/gateway-client/connect-gateway.ts';
import type {
  AgentReport,
  AgentState,
  SynchronizeRequest,
  SynchronizeResponse,
} from '../../../src/gen/clawrden/v1/relay.ts';
import { packageVersion } from '../../../src/package-version.ts';
import type { AgentEngine } from '../execution/agent-engine.ts';
import { latestOnly } from '../execution/latest-only.ts';
import { setTools } from '../listening/jail.ts';
import { backoffMs } from './backoff.ts';
import type { Halt, Wish } from './halt.ts';

export interface SynchronizedAgent {
  readonly name: string;
  readonly container: string;
  /** Its folder. */
  readonly jail: string;
  readonly halt: Halt;
}

export interface SynchronizeOptions {
  readonly agents: readonly SynchronizedAgent[];
  readonly link: Pick<GatewayClient, 'synchronize' | 'waitForReady'>;
  readonly engine: AgentEngine;
  /** Called whenever the gateway's wishes have been carried out. */
  readonly onApplied: () => void;
  readonly log: Logger;
}

const readyTimeoutMs = 30_000;
const lookAgainMs = 10_000;
const stableMs = 30_000;

interface End {
  readonly why: string;
  /** Another connection with this relay's identity took its place. */
  readonly isDisplaced?: boolean;
}

type Stream = ClientDuplexStream<SynchronizeRequest, SynchronizeResponse>;

/** Keeps the gateway told and the jails as it wishes, over one stream at a time, until `signal` aborts. */
export async function synchronize(options: SynchronizeOptions, signal: AbortSignal): Promise<void> {
  const tools = new Map<string, readonly string[]>();
  for (let failures = 0; !signal.aborted; failures += 1) {
    const began = performance.now();
    const { why, isDisplaced = false } = await session(options, tools, signal);
    // One that was displaced comes back at once, to be heard: its gateway is there.
    if (performance.now() - began > stableMs || isDisplaced) failures = 0;
    const retryMs = Math.round(backoffMs(failures));
    if (!signal.aborted) options.log.warn({ why, retryMs }, 'not synchronized');
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

/** Resolves with why it ended. */
async function session(
  options: SynchronizeOptions,
  tools: Map<string, readonly string[]>,
  signal: AbortSignal,
): Promise<End> {
  if (!(await options.link.waitForReady(readyTimeoutMs))) return { why: 'the gateway does not answer' };
  if (signal.aborted) return { why: '' };
  const stream = options.link.synchronize();
  const report = reporter(stream, () => describe(options, tools));
  const apply = latestOnly(async (state: SynchronizeResponse) => {
    await applyState(options, tools, state);
    // Whoever has told waits for it, also where nothing had to change.
    await report(true);
    options.onApplied();
  });
  stream.on('data', apply);
  void report();
  const again = setInterval(() => void report(), lookAgainMs);
  const leave = () => stream.cancel();
  signal.addEventListener('abort', leave, { once: true });
  const end = await endOf(stream);
  clearInterval(again);
  signal.removeEventListener('abort', leave);
  return end;
}

function endOf(stream: Stream): Promise<End> {
  return new Promise((resolve) => {
    // What ends it is in its status, which comes behind an error, and alone where the gateway ends it well.
    stream.on('error', () => {});
    stream.on('status', ({ code, details }: StatusObject) => {
      if (code === status.OK) resolve({ why: 'the gateway ended the stream' });
      else resolve({ why: details, isDisplaced: code === status.ABORTED });
    });
  });
}

/** Sends a report where it says something new, or `always`. */
function reporter(
  stream: Stream,
  describeNow: () => Promise<AgentReport[]>,
): (always?: boolean) => Promise<void> {
  const version = packageVersion();
  let last = '';
  return async (always = false) => {
    const agents = await describeNow();
    const now = JSON.stringify(agents);
    if ((now === last && !always) || stream.writableEnded || stream.destroyed) return;
    last = now;
    stream.write({ version, agents });
  };
}

function describe(
  { agents, engine }: SynchronizeOptions,
  tools: ReadonlyMap<string, readonly string[]>,
): Promise<AgentReport[]> {
  return Promise.all(
    agents.map(async ({ name, container, halt }) => ({
      name,
      ...(await look(engine, container)),
      tools: [...(tools.get(name) ?? [])],
      halted: halt.halted(),
    })),
  );
}

async function look(
  engine: AgentEngine,
  container: string,
): Promise<Pick<AgentReport, 'containerRunning' | 'problem'>> {
  const { running, problem } = await engine.look(container);
  return { containerRunning: running, problem };
}

async function applyState(
  { agents, log }: SynchronizeOptions,
  tools: Map<string, readonly string[]>,
  { agents: states, lockdown }: SynchronizeResponse,
): Promise<void> {
  await Promise.all(
    agents.map(async ({ name, jail, halt }) => {
      const state = states.find((agent) => agent.name === name);
      // An agent that the gateway does not know has no tools; whether it may go on is not said.
      if (state !== undefined) await halt.apply(wishOf(state, lockdown));
      try {
        tools.set(name, await setTools(jail, state?.tools ?? []));
      } catch (error) {
        log.error({ agent: name, error }, 'the jail could not be brought up to date');
      }
    }),
  );
}

function wishOf({ killed, paused }: AgentState, lockdown: boolean): Wish {
  if (killed) return 'killed';
  return paused || lockdown ? 'paused' : 'active';
}
