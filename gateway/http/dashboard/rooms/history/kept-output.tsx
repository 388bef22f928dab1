import { useSignal } from '@preact/signals';
import { ApiError, type Client } from '../../../../../src/http-api/client.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { LeftOut } from '../../parts/left-out.tsx';
import { problemText } from '../../parts/problem-text.ts';
import { type Screen, TerminalFrame } from '../../parts/terminal.tsx';

/** Both ends of each stream, which have no timing. */
export function KeptOutput({ id, written }: { readonly id: string; readonly written: number }) {
  const { client } = useDashboard();
  const state = useSignal('');
  const isKept = useSignal(true);
  const left = useSignal(0);
  const show = async (screen: Screen, signal: AbortSignal) => {
    screen.clear();
    try {
      for (const stream of ['stdout', 'stderr'] as const)
        await showStream(client(), id, stream, screen, signal);
      state.value = 'Without its timing; of long output both ends.';
    } catch (error) {
      isKept.value = !(error instanceof ApiError && error.problem.status === 404);
      if (isKept.value) state.value = problemText(error);
    }
  };
  if (!isKept.value)
    return (
      <p class="soft execution-none">
        {written === 0
          ? 'It wrote nothing.'
          : `It wrote ${written} bytes, and the policy had nothing kept of it.`}{' '}
        <code>record: full</code> in the policy keeps what a tool writes, to be replayed here.
      </p>
    );
  return (
    <div class="output">
      <TerminalFrame
        title="Recorded output"
        onReady={(screen, signal) => void show(screen, signal)}
        onLeft={(count) => {
          left.value = count;
        }}
      />
      <div class="output-foot" role="status">
        <span class="soft">{state.value}</span>
        <LeftOut count={left.value} />
      </div>
    </div>
  );
}

async function showStream(
  client: Client,
  id: string,
  stream: 'stdout' | 'stderr',
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  let from = 0;
  for (;;) {
    const query = { stream, from: String(from) };
    const part = await client.call('executionOutput', { params: { id }, query }, { signal });
    if (from === 0 && part.total > 0 && stream === 'stderr') screen.gap('stderr');
    if (part.from > from) screen.gap(`${part.from - from} bytes were not kept`);
    const bytes =
      part.encoding === 'utf-8'
        ? new TextEncoder().encode(part.data)
        : Uint8Array.from(atob(part.data), (character) => character.charCodeAt(0));
    await screen.write(decoder.decode(bytes, { stream: true }), stream === 'stdout' ? 1 : 2);
    if (part.next >= part.total || part.next <= from) return;
    from = part.next;
  }
}
