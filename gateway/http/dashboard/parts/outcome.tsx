import type { ExecutionView } from '../../../../src/http-api/history.ts';

type Told = Pick<ExecutionView, 'state' | 'outcome' | 'exitCode' | 'exitSignal' | 'decision'>;

/** What became of a command, in a word or two. */
export function OutcomeTag({ execution }: { readonly execution: Told }) {
  const [tone, text] = outcomeOf(execution);
  return <span class={`tag ${tone}`}>{text}</span>;
}

function outcomeOf({ state, outcome, exitCode, exitSignal }: Told): readonly [tone: string, text: string] {
  if (state === 'running') return ['good', 'running'];
  if (state !== 'ended') return ['warn', state === 'awaiting-approval' ? 'waits for a person' : state];
  if (outcome === 'exited' && exitSignal !== 0) return ['bad', `signal ${exitSignal}`];
  if (outcome === 'exited') return exitCode === 0 ? ['good', 'exit 0'] : ['bad', `exit ${exitCode}`];
  return outcome === 'started' ? ['', 'started'] : [outcome === 'canceled' ? 'warn' : 'bad', outcome];
}
