import type { Engine, GhostPurpose } from '../ports/engine.ts';
import type { Metric } from '../ports/metrics.ts';
import { createHistogram } from './histogram.ts';

/** How long engines took to start containers. */
export interface StartTimes {
  readonly watch: <E extends Pick<Engine, 'startGhost'>>(engine: E) => E;
  readonly metrics: () => readonly Metric[];
}

/** For whom a container is started: for no command yet, for one that waits, or for all that an agent keeps in it. */
const kinds = ['warm', 'cold', 'session'] as const;

export function createStartTimes(): StartTimes {
  const seconds = { warm: createHistogram(), cold: createHistogram(), session: createHistogram() };
  return {
    watch: (engine) => ({
      ...engine,
      startGhost: async (shape, purpose, signal) => {
        const begin = performance.now();
        const ghost = await engine.startGhost(shape, purpose, signal);
        seconds[kindOf(purpose)].add((performance.now() - begin) / 1000);
        return ghost;
      },
    }),
    metrics: () => [
      {
        ...{ name: 'clawrden_container_start_seconds', type: 'histogram' },
        help: 'How long a container took from its creation until its init was ready for a command.',
        samples: kinds.flatMap((kind) => seconds[kind].samples({ kind })),
      },
    ],
  };
}

function kindOf({ pooled, session }: GhostPurpose): (typeof kinds)[number] {
  if (session === true) return 'session';
  return pooled ? 'warm' : 'cold';
}
