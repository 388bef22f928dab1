import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiError, type Client } from '../../../../../src/http-api/client.ts';
import { pause } from '../../../../../src/http-api/pause.ts';
import { seesAll, useDashboard } from '../../data/dashboard.ts';
import { problemText } from '../../parts/problem-text.ts';
import { RoomPage } from '../../parts/room-page.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Loading, Trouble } from '../../parts/states.tsx';
import { AgentText } from '../../parts/texts.tsx';
import type { Room } from '../room.ts';
import { Explain } from './explain.tsx';
import { Findings, type Found } from './findings.tsx';
import { PolicyText } from './policy-text.tsx';
import './policy.css';

export const policy: Room = {
  name: 'Policy',
  path: '/policy',
  views: [{ path: '/policy', show: Policy }],
};

interface InForce {
  readonly hash: string;
  readonly text: string;
  readonly problem: string;
}

/** Whose scope is not empty may ask what becomes of a command, and does not see the text. */
function Policy() {
  const { session } = useDashboard();
  return seesAll(session) ? <Whole /> : <RoomPage title="Policy" children={<Explain lineTo={undefined} />} />;
}

/** The policy in force, and what a check of it finds; anew when another one comes into force. */
function usePolicy() {
  const { client, events } = useDashboard();
  const now = useSignal<InForce | Error | undefined>(undefined);
  const found = useSignal<Found>('looking');
  const loading = useRef(new AbortController());
  const load = async () => {
    loading.current.abort();
    const { signal } = (loading.current = new AbortController());
    try {
      const inForce = await client().call('policy', {}, { signal });
      now.value = inForce;
      found.value = 'looking';
      found.value = await checked(client(), inForce.text, signal);
    } catch (error) {
      if (!signal.aborted) now.value = error as Error;
    }
  };
  useEffect(() => {
    void load();
    const stop = events.listen(({ type }) => {
      if (type === 'policy' || type === 'reset') void load();
    });
    return () => {
      stop();
      loading.current.abort();
    };
  }, []);
  return { now: now.value, found: found.value, load: () => void load() };
}

const [tries, apartMs] = [20, 1000];

/** A person has one check at a time, over all their pages. */
async function checked(client: Client, text: string, signal: AbortSignal): Promise<Found> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await client.call('checkPolicy', { body: { text, force: true } }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const isBusy = error instanceof ApiError && error.problem.status === 429;
      if (!isBusy || tried === tries) return new Error(problemText(error));
      await pause(apartMs, signal);
    }
  }
}

function Whole() {
  const { now: value, found, load } = usePolicy();
  const lines = useMemo(
    () => (value === undefined || value instanceof Error ? [] : linesOf(value.text)),
    [value],
  );
  return (
    <RoomPage
      title="Policy"
      note={
        value !== undefined &&
        !(value instanceof Error) && (
          <>
            In force: <ShortId id={value.hash} length={12} /> · {lines.length} lines
          </>
        )
      }
    >
      {value === undefined && <Loading />}
      {value instanceof Error && <Trouble what="The policy" error={value} again={load} />}
      {value !== undefined && !(value instanceof Error) && (
        <div class="policy">
          {value.problem !== '' && (
            <div class="trouble" role="alert">
              <p>
                The file as it is now is not in force, and what you see is the last good one.{' '}
                <AgentText text={value.problem} bare />
              </p>
            </div>
          )}
          <Explain lineTo={lineTo} />
          <Findings found={found} lineTo={lineTo} />
          <PolicyText lines={lines} />
        </div>
      )}
    </RoomPage>
  );
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function lineTo(line: number): string {
  return `/policy?line=${line}`;
}
