import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import type { ExecutionView } from '../../../../../src/http-api/history.ts';
import { commandText } from '../../../../../src/text/command-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { problemText } from '../../parts/problem-text.ts';
import { Rendered } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';

const [shown, lineAtMost] = [5, 200];

/** What stands beside the plan and is no part of it: what the agent did before. */
export function Beside({ question }: { readonly question: ApprovalView }) {
  const { client } = useDashboard();
  const found = useSignal<readonly ExecutionView[] | string | undefined>(undefined);
  useEffect(() => {
    const over = new AbortController();
    const query = { agent: question.agent, limit: String(shown + 1), until: later(question.createdAt) };
    client()
      .call('executions', { query }, { signal: over.signal })
      .then(
        ({ executions }) => {
          found.value = executions.filter(({ id }) => id !== question.executionId).slice(0, shown);
        },
        (error: unknown) => {
          if (!over.signal.aborted) found.value = problemText(error);
        },
      );
    return () => over.abort();
  }, []);
  const rows = found.value;
  return (
    <section class="beside" aria-label="Before this">
      <h3>Its last commands</h3>
      {rows === undefined && <p class="soft">Looking…</p>}
      {typeof rows === 'string' && <p class="soft">Not known: {rows}</p>}
      {typeof rows === 'object' && rows.length === 0 && <p class="soft">None before this one.</p>}
      {typeof rows === 'object' && rows.length > 0 && (
        <ul>
          {rows.map((row) => (
            <Before key={row.id} row={row} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Before({ row }: { readonly row: ExecutionView }) {
  const [text, tone] = endOf(row);
  const line = commandText(row);
  return (
    <li>
      <span class={`tag ${tone}`}>{text}</span>{' '}
      <a href={`/executions/${row.id}`}>
        <q class="agent-text" dir="ltr">
          <Rendered text={line.length > lineAtMost ? `${line.slice(0, lineAtMost)} …` : line} />
        </q>
      </a>{' '}
      <span class="soft small">
        <Ago at={row.receivedAt} />
      </span>
    </li>
  );
}

function endOf({ state, outcome, exitCode, exitSignal, reason }: ExecutionView): readonly [string, string] {
  if (state === 'awaiting-approval') return ['waits', 'warn'];
  if (state !== 'ended') return [state, ''];
  if (reason !== '') return [reason, 'bad'];
  if (exitSignal !== 0) return [`signal ${exitSignal}`, 'bad'];
  if (outcome === 'started') return ['started', ''];
  return exitCode === 0 ? ['exit 0', 'good'] : [`exit ${exitCode}`, 'warn'];
}

/** Those that came in the same millisecond, too. */
function later(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString();
}
