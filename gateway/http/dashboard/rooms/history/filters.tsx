import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useDashboard } from '../../data/dashboard.ts';
import { addressOf, nothingWanted, type Wanted, whyNot } from './wanted.ts';

const choices = {
  decision: [
    ['', 'Any'],
    ['allow', 'Allowed'],
    ['ask', 'Asked'],
    ['deny', 'Denied'],
  ],
  state: [
    ['', 'Any'],
    ['running', 'Running'],
    ['queued', 'In the queue'],
    ['awaiting-approval', 'Waits for a person'],
    ['received', 'Just received'],
  ],
  time: [
    ['', 'Any'],
    ['1h', 'The last hour'],
    ['24h', 'The last 24 hours'],
    ['7d', 'The last 7 days'],
    ['between', 'Between two times'],
  ],
} as const;

interface PartProps {
  readonly name: keyof Wanted;
  readonly label: string;
  readonly draft: Signal<Wanted>;
  readonly go: (next: Wanted) => void;
}

function Text({ name, label, draft, go, isTime }: PartProps & { readonly isTime?: boolean }) {
  const more = isTime === true ? ({ type: 'datetime-local' } as const) : { maxLength: 300 };
  return (
    <label class="labelled">
      {label}
      <input
        class="field"
        {...more}
        value={draft.value[name]}
        onInput={({ currentTarget }) => {
          draft.value = { ...draft.value, [name]: currentTarget.value };
        }}
        onBlur={() => go(draft.value)}
      />
    </label>
  );
}

function Choice({ name, label, draft, go }: PartProps & { readonly name: keyof typeof choices }) {
  return (
    <label class="labelled">
      {label}
      <select
        class="field"
        value={draft.value[name]}
        onChange={({ currentTarget }) => go({ ...draft.value, [name]: currentTarget.value })}
      >
        {choices[name].map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What to look for. A choice counts at once, a text with Enter or when it is left. */
export function Filters({ wanted }: { readonly wanted: Wanted }) {
  const { router } = useDashboard();
  const draft = useSignal(wanted);
  const problem = useSignal('');
  useEffect(() => {
    draft.value = wanted;
  }, [addressOf(wanted)]);
  const go = (next: Wanted) => {
    draft.value = next;
    problem.value = whyNot(next) ?? '';
    if (problem.value === '') router.go(addressOf(next));
  };
  const part = { draft, go };
  return (
    <form
      class="history-filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go(draft.value);
      }}
    >
      <div class="history-search">
        <Text name="q" label="In the command line" {...part} />
      </div>
      <Text name="agent" label="Agent" {...part} />
      <Text name="tool" label="Tool" {...part} />
      <Choice name="decision" label="Decision" {...part} />
      <Choice name="state" label="State" {...part} />
      <Choice name="time" label="When" {...part} />
      {draft.value.time === 'between' && <Text name="from" label="From" isTime {...part} />}
      {draft.value.time === 'between' && <Text name="to" label="Until" isTime {...part} />}
      <div class="history-go">
        <button type="submit" class="button">
          Search
        </button>
        {addressOf(wanted) !== '/history' && (
          <button type="button" class="button quiet" onClick={() => go(nothingWanted)}>
            Clear
          </button>
        )}
      </div>
      {problem.value !== '' && (
        <p class="history-problem" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  );
}
