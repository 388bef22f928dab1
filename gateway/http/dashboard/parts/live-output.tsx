import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useDashboard } from '../data/dashboard.ts';
import { followOutput } from '../data/follow-output.ts';
import { LeftOut } from './left-out.tsx';
import { problemText } from './problem-text.ts';
import { type Screen, TerminalFrame } from './terminal.tsx';

type State = 'reading' | 'over' | 'taken' | { readonly problem: string };

/** What a running command writes, as it comes. */
export function LiveOutput({ id, title }: { readonly id: string; readonly title: string }) {
  const { client } = useDashboard();
  const state = useSignal<State>('reading');
  const left = useSignal(0);
  const screen = useRef<Screen>(undefined);
  const following = useRef(new AbortController());
  const begin = async () => {
    if (screen.current === undefined) return;
    following.current = new AbortController();
    const { signal } = following.current;
    state.value = 'reading';
    try {
      state.value = await followOutput(client(), id, screen.current, signal);
    } catch (error) {
      if (!signal.aborted) state.value = { problem: problemText(error) };
    }
  };
  useEffect(() => () => following.current.abort(), []);
  return (
    <div class="output">
      <TerminalFrame
        title={title}
        onReady={(ready) => {
          screen.current = ready;
          void begin();
        }}
        onLeft={(count) => {
          left.value = count;
        }}
      />
      <div class="output-foot" role="status">
        <FollowState state={state.value} again={() => void begin()} />
        <LeftOut count={left.value} />
      </div>
    </div>
  );
}

function FollowState({ state, again }: { readonly state: State; readonly again: () => void }) {
  if (state === 'reading') return <span class="output-live">Live</span>;
  if (state === 'over') return <span class="soft">It has ended.</span>;
  const why =
    state === 'taken'
      ? 'Another page of this browser follows in this one’s place: three can at a time.'
      : typeof state === 'object'
        ? `Not followed any more: ${state.problem}.`
        : '';
  return (
    <>
      <span>{why}</span>
      <button type="button" class="button short" onClick={again}>
        Follow again
      </button>
    </>
  );
}
