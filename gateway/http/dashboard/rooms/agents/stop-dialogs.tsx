import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AgentJson } from '../../../../../src/http-api/fleet.ts';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { HaltDialog } from '../../parts/halt-dialog.tsx';
import { problemText } from '../../parts/problem-text.ts';
import { Rendered } from '../../parts/texts.tsx';

export type Change = 'active' | 'paused' | 'killed';

interface StateDialogProps {
  readonly agent: AgentJson;
  readonly change: Change;
  readonly onClose: () => void;
}

const words = {
  active: { title: 'Resume', done: 'goes on' },
  paused: { title: 'Pause', done: 'is paused' },
  killed: { title: 'Kill', done: 'is killed' },
} as const;

const meaning = {
  active: 'It may start work again at once.',
  paused:
    'Its container is paused, what it runs ends now, and new work is refused until somebody resumes it.',
  killed:
    'Its container is killed, what it runs ends now, and new work is refused until somebody resumes it.',
} as const;

export function StateDialog({ agent, change, onClose }: StateDialogProps) {
  const { name, state, stoppedBy = '' } = agent;
  const { client, notices } = useDashboard();
  const { title, done } = words[change];
  const confirm = async (reason: string) => {
    const body = { state: change, reason };
    const halt = await client().call('setAgentState', { params: { name }, body });
    onClose();
    notices.tell(`${name} ${done}. ${toldOf(halt)}`, halt.unconfirmed.length > 0 ? 'bad' : 'good');
  };
  return (
    <HaltDialog
      title={`${title} ${name}?`}
      action={`${title} ${name}`}
      danger={change !== 'active'}
      now={`${name} is ${state}${stoppedBy === '' ? '' : ` by ${stoppedBy}`}`}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <p>{meaning[change]}</p>
      {change !== 'active' && <WhatStops agent={name} />}
    </HaltDialog>
  );
}

interface LockdownDialogProps {
  readonly isOn: boolean;
  readonly agents: readonly AgentJson[];
  readonly onClose: () => void;
}

export function LockdownDialog({ isOn, agents, onClose }: LockdownDialogProps) {
  const { client, notices } = useDashboard();
  const confirm = async (reason: string) => {
    const halt = await client().call('setLockdown', { body: { on: !isOn, reason } });
    onClose();
    const done = isOn ? 'The lockdown is lifted.' : `Lockdown is on. ${toldOf(halt)}`;
    notices.tell(done, halt.unconfirmed.length > 0 ? 'bad' : 'good');
  };
  const names = agents.map(({ name }) => name);
  return (
    <HaltDialog
      title={isOn ? 'Lift the lockdown?' : 'Stop every agent?'}
      action={isOn ? 'Lift lockdown' : `Stop ${countOf(names.length, 'agent')}`}
      danger={!isOn}
      now={`the lockdown is ${isOn ? 'on' : 'off'}`}
      onConfirm={confirm}
      onCancel={onClose}
    >
      {isOn ? (
        <p>Agents may start work again, but for those that are paused or killed by themselves.</p>
      ) : (
        <>
          <p>
            A pause of every agent: {names.slice(0, 12).join(', ')}
            {names.length > 12 && ` and ${names.length - 12} more`}. New work is refused until the lockdown is
            lifted.
          </p>
          <WhatStops agent={undefined} />
        </>
      )}
    </HaltDialog>
  );
}

const shownAtMost = 6;
const open = ['running', 'queued', 'awaiting-approval'] as const;

/** What is open now, by name: commands that run, wait for a place, or wait for a person. */
function WhatStops({ agent }: { readonly agent: string | undefined }) {
  const { client } = useDashboard();
  const found = useSignal<readonly ExecutionView[] | string | undefined>(undefined);
  useEffect(() => {
    const over = new AbortController();
    const query = { limit: '100', ...(agent !== undefined && { agent }) };
    const ask = open.map((state) =>
      client().call('executions', { query: { ...query, state } }, { signal: over.signal }),
    );
    Promise.all(ask).then(
      (pages) => {
        found.value = pages.flatMap(({ executions }) => executions);
      },
      (error: unknown) => {
        if (!over.signal.aborted) found.value = problemText(error);
      },
    );
    return () => over.abort();
  }, []);
  const rows = found.value;
  if (rows === undefined) return <p class="soft">Looking for what runs…</p>;
  if (typeof rows === 'string') return <p class="soft">What runs is not known: {rows}</p>;
  if (rows.length === 0) return <p>Nothing of it runs or waits now.</p>;
  return (
    <div class="agents-stops">
      <p>
        <strong>{countOf(rows.length, 'command')}</strong> will end{rows.length >= 100 && ', or more'}:
      </p>
      <ul>
        {rows.slice(0, shownAtMost).map(({ id, agent: of, argv, state }) => (
          <li key={id}>
            <span class="tag">{state === 'awaiting-approval' ? 'waits' : state}</span>{' '}
            {agent === undefined && `${of}: `}
            <q class="agent-text">
              <Rendered text={lineOf(argv)} />
            </q>
          </li>
        ))}
      </ul>
      {rows.length > shownAtMost && <p class="soft">and {rows.length - shownAtMost} more</p>}
    </div>
  );
}

function toldOf({ stopped, unconfirmed }: { stopped: number; unconfirmed: readonly string[] }): string {
  const ended = `${countOf(stopped, 'command')} ended.`;
  return unconfirmed.length === 0 ? ended : `${ended} Not confirmed: ${unconfirmed.slice(0, 5).join('; ')}`;
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const lineAtMost = 300;

function lineOf(argv: readonly string[]): string {
  const line = renderArgv(argv);
  return line.length > lineAtMost ? `${line.slice(0, lineAtMost)} …` : line;
}
