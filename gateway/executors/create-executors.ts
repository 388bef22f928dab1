import type { Strategy } from '../../src/plan.ts';
import type { Executor, Inspector } from './executor.ts';
import { createFetch, type FetchExecutorParts, inspectFetch } from './fetch.ts';
import { createGhostExecutor, type GhostParts } from './ghost.ts';
import { createHelp, type HelpExecutorParts, inspectHelp } from './help.ts';
import { createGhostInspector } from './inspect-ghost.ts';
import { inspectMirror } from './inspect-mirror.ts';
import { inspectPassthrough } from './inspect-passthrough.ts';
import { createMirror, type MirrorParts } from './mirror.ts';
import { createPassthrough } from './passthrough.ts';

export interface Executors {
  readonly executors: Readonly<Record<Strategy, Executor>>;
  readonly inspectors: Readonly<Record<Strategy, Inspector>>;
}

/** How each strategy runs a plan, and how it inspects what the plan would run. */
export function createExecutors(
  parts: GhostParts & MirrorParts & FetchExecutorParts & HelpExecutorParts,
): Executors {
  return {
    executors: {
      ghost: createGhostExecutor(parts),
      mirror: createMirror(parts),
      passthrough: createPassthrough(parts.recordStart),
      fetch: createFetch(parts),
      help: createHelp(parts),
    },
    inspectors: {
      ghost: createGhostInspector(parts),
      mirror: inspectMirror,
      passthrough: inspectPassthrough,
      fetch: inspectFetch,
      help: inspectHelp,
    },
  };
}
