import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import type { Dashboard } from '../../data/dashboard.ts';
import type { Answered } from './answered.ts';
import { type Answer, createVerdicts } from './give-verdicts.ts';
import { createReadings, type Reading } from './reading.ts';
import { createShownPlans, type ShownPlan } from './shown-plans.ts';
import { whoAnswered } from './who-answered.ts';

/** What a person has before them: the questions, which one is read, and which are picked. */
export interface Desk {
  /** The oldest first. One that is gone keeps its place until the person goes on, so that nothing jumps. */
  readonly rows: ReadonlySignal<readonly ApprovalView[]>;
  /** Of questions that are gone: what became of them. */
  readonly gone: ReadonlySignal<ReadonlyMap<string, string>>;
  readonly current: ReadonlySignal<string>;
  readonly go: (id: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly picked: Signal<ReadonlySet<string>>;
  readonly plan: (id: string) => ReadonlySignal<ShownPlan>;
  readonly planAgain: (id: string) => void;
  readonly reading: (id: string) => Reading;
  /** Tells what went wrong, and answers what became of them. */
  readonly answer: (questions: readonly ApprovalView[], answer: Answer) => Promise<Answered>;
  readonly close: () => void;
}

export interface QuestionProps {
  readonly desk: Desk;
  readonly question: ApprovalView;
}

const [goneAtMost, atOnce] = [200, 4];

export function createDesk(dashboard: Dashboard, first = ''): Desk {
  const { waiting, session, client } = dashboard;
  const [current, picked] = [signal(first), signal<ReadonlySet<string>>(new Set())];
  const left = signal<ReadonlyMap<string, ApprovalView>>(new Map());
  const gone = signal<ReadonlyMap<string, string>>(new Map());
  const over = new AbortController();
  const plans = createShownPlans(client, over.signal);
  const reading = createReadings();
  const rows = computed(() => inOrder([...waiting.rows.value.values(), ...left.value.values()]));

  const learn = async (question: ApprovalView) => {
    const text = await whoAnswered(client(), question, session.principal, over.signal);
    if (!over.signal.aborted) gone.value = new Map([...gone.peek(), [question.id, text]]);
  };
  let before = waiting.rows.peek();
  const stop = effect(() => {
    const now = waiting.rows.value;
    const went = [...before.values()].filter(({ id }) => !now.has(id));
    before = now;
    if (went.length > 0) {
      left.value = new Map(
        [...left.peek(), ...went.map((each) => [each.id, each] as const)].slice(-goneAtMost),
      );
      picked.value = new Set([...picked.peek()].filter((id) => now.has(id)));
      // Of a crowd that goes at once, only what is looked at is asked about.
      const asked = went.filter(({ id }, at) => at < atOnce || id === current.peek());
      for (const question of asked) void learn(question);
    }
    const found = current.peek();
    if (!now.has(found) && !left.peek().has(found)) current.value = rows.peek()[0]?.id ?? '';
  });

  const go = (id: string) => {
    if (id === '' || id === current.peek()) return;
    current.value = id;
    left.value = new Map();
  };
  return {
    ...{ rows, gone, current, picked, go, reading, plan: plans.of, planAgain: plans.again },
    step: (by) => {
      const list = rows.peek().filter(({ id }) => id === current.peek() || !left.peek().has(id));
      const at = list.findIndex(({ id }) => id === current.peek());
      go(list[at + by]?.id ?? '');
    },
    answer: createVerdicts(dashboard, over.signal),
    close: () => {
      over.abort();
      stop();
    },
  };
}

function inOrder(rows: ApprovalView[]): ApprovalView[] {
  return rows.sort((one, other) => compare(one.createdAt, other.createdAt) || compare(one.id, other.id));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
