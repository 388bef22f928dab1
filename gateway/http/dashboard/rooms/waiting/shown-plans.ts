import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { EarlierAnswerView } from '../../../../../src/http-api/approvals.ts';
import type { Client } from '../../../../../src/http-api/client.ts';
import { type PlanLine, planLines } from '../../../../../src/text/describe-plan.ts';

export type ShownPlan = 'loading' | Error | Shown;

export interface Shown {
  readonly lines: readonly PlanLine[];
  readonly earlier: readonly EarlierAnswerView[];
}

export interface ShownPlans {
  readonly of: (id: string) => ReadonlySignal<ShownPlan>;
  /** Of one that could not be fetched. */
  readonly again: (id: string) => void;
}

const atMost = 60;

/** Plans of questions: each is fetched when somebody looks at it, and never changes. */
export function createShownPlans(client: () => Client, over: AbortSignal): ShownPlans {
  const known = new Map<string, Signal<ShownPlan>>();
  const fetchPlan = async (id: string, plan: Signal<ShownPlan>) => {
    try {
      const { plan: canonical, earlier } = await client().call(
        'approval',
        { params: { id } },
        { signal: over },
      );
      plan.value = { lines: planLines(canonical), earlier };
    } catch (error) {
      if (over.aborted) return;
      plan.value = error as Error;
    }
  };
  return {
    of: (id) => {
      const found = known.get(id);
      if (found !== undefined) return found;
      const plan = signal<ShownPlan>('loading');
      known.set(id, plan);
      const [oldest] = known.keys();
      if (known.size > atMost && oldest !== undefined) known.delete(oldest);
      void fetchPlan(id, plan);
      return plan;
    },
    again: (id) => {
      const plan = known.get(id);
      if (!(plan?.peek() instanceof Error)) return;
      plan.value = 'loading';
      void fetchPlan(id, plan);
    },
  };
}
