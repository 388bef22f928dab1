import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, type Client } from '../../../../../src/http-api/client.ts';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { hasRole, useDashboard } from '../../data/dashboard.ts';
import { LiveOutput } from '../../parts/live-output.tsx';
import { Loading, Trouble } from '../../parts/states.tsx';
import { KeptOutput } from './kept-output.tsx';
import { type LoadedRecording, loadRecording } from './recording.ts';
import { Replay } from './replay.tsx';

/** What it writes, or what is kept of what it wrote. */
export function ExecutionOutput({ execution }: { readonly execution: ExecutionView }) {
  const { session } = useDashboard();
  const { id, state, startedAt } = execution;
  if (startedAt === undefined) return null;
  return (
    <section class="card execution-output" aria-label="Output">
      {!hasRole(session, 'operator') && (
        <p class="soft execution-none">Operators see here what it wrote: output may hold secrets.</p>
      )}
      {hasRole(session, 'operator') && state !== 'ended' && (
        <LiveOutput id={id} title="Output of this command" />
      )}
      {hasRole(session, 'operator') && state === 'ended' && <Recorded execution={execution} />}
    </section>
  );
}

type Kept = LoadedRecording | 'no timing' | Error | undefined;

function Recorded({ execution: { id, stdoutBytes, stderrBytes } }: { readonly execution: ExecutionView }) {
  const { client } = useDashboard();
  const kept = useSignal<Kept>(undefined);
  const load = async (signal: AbortSignal) => {
    kept.value = undefined;
    const found = await find(client(), id, signal);
    if (!signal.aborted) kept.value = found;
  };
  useEffect(() => {
    const gone = new AbortController();
    void load(gone.signal);
    return () => gone.abort();
  }, [id]);
  const now = kept.value;
  if (now === undefined) return <Loading rows={2} />;
  if (now instanceof Error)
    return <Trouble what="Its output" error={now} again={() => void load(new AbortController().signal)} />;
  if (now === 'no timing') return <KeptOutput id={id} written={stdoutBytes + stderrBytes} />;
  if (now.events.length === 0) return <p class="soft execution-none">It wrote nothing.</p>;
  return <Replay recording={now} />;
}

async function find(client: Client, id: string, signal: AbortSignal): Promise<Kept> {
  try {
    return await loadRecording(client, id, signal);
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 404) return 'no timing';
    return error as Error;
  }
}
