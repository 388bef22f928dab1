import { useSignal } from '@preact/signals';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import { AgentText, Rendered } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';
import type { AuditRow } from './audit-tail.ts';

const chained: ReadonlySet<string> = new Set(['seq', 'time', 'type', 'prev', 'hash']);
/** In this order, as far as a record has them. */
const told = [
  ...['event', 'decision', 'verdict', 'state', 'outcome', 'incident', 'credential', 'kind', 'code'],
  ...['agent', 'principal', 'person', 'token', 'host', 'argv', 'rule', 'by', 'caller', 'reason', 'text'],
] as const;
const toldAtMost = 6;

/** One line, and all of the record when it is opened. */
export function RecordRow({ row: { seq, record } }: { readonly row: AuditRow }) {
  if (typeof record === 'string')
    return (
      <li class="audit-row is-bad">
        <p>
          <span class="tag bad">not a record</span> <AgentText text={record} most={500} />
        </p>
      </li>
    );
  return <Whole seq={seq} record={record} />;
}

interface WholeProps {
  readonly seq: number;
  readonly record: Exclude<AuditRow['record'], string>;
}

function Whole({ seq, record }: WholeProps) {
  const isOpen = useSignal(false);
  const { type, time } = record;
  const main = told.filter((key) => shownValue(record[key]) !== '').slice(0, toldAtMost);
  return (
    <li class="audit-row">
      <details
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open;
        }}
      >
        <summary>
          <span class="audit-seq">{seq}</span>
          <span class={type === 'incident' ? 'tag bad' : 'tag'}>{String(type)}</span>
          <span class="audit-main">
            {main.map((key) => (
              <span key={key} class="audit-pair">
                <span class="soft">{key}</span> <Value value={record[key]} />
              </span>
            ))}
          </span>
          {typeof time === 'string' && (
            <span class="audit-time">
              <Ago at={time} />
            </span>
          )}
        </summary>
        {isOpen.value && <Everything record={record} />}
      </details>
    </li>
  );
}

/** Drawn only where it is looked at: hundreds of records are on the page. */
function Everything({ record }: Pick<WholeProps, 'record'>) {
  const { time, ...others } = record;
  const rest = Object.entries(others).filter(([key]) => key !== 'seq' && key !== 'type');
  return (
    <dl class="audit-all">
      {[['time', time] as const, ...rest].map(([key, value]) => (
        <div key={key} class={chained.has(key) ? 'is-chain' : undefined}>
          <dt>{key}</dt>
          <dd>
            <AgentText text={typeof value === 'string' ? value : JSON.stringify(value)} bare />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const lineAtMost = 120;

function Value({ value }: { readonly value: unknown }) {
  const isArgv = Array.isArray(value) && value.every((word) => typeof word === 'string');
  if (!isArgv) return <AgentText text={shownValue(value)} bare most={lineAtMost} />;
  const line = renderArgv(value);
  return (
    <q class="agent-text">
      <Rendered text={line.length > lineAtMost ? `${line.slice(0, lineAtMost)} …` : line} />
    </q>
  );
}

/** Empty for what says nothing. */
function shownValue(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return value === undefined || value === null || typeof value === 'boolean' ? '' : JSON.stringify(value);
}
