import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { seesAll, useDashboard } from '../../data/dashboard.ts';
import { RoomPage } from '../../parts/room-page.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { Ago } from '../../parts/times.tsx';
import type { Room } from '../room.ts';
import { type AuditRow, createAuditTail, keptRows } from './audit-tail.ts';
import { RecordRow } from './record-row.tsx';
import './audit.css';

export const audit: Room = {
  name: 'Audit',
  path: '/audit',
  mayEnter: seesAll,
  views: [{ path: '/audit', show: Audit }],
};

function Audit() {
  const { client, events } = useDashboard();
  const tail = useMemo(() => createAuditTail(client, events), [events]);
  useEffect(() => tail.close, [tail]);
  const type = useSignal('');
  const state = tail.state.value;
  const rows = tail.rows.value;
  const types = [...new Set(rows.map(typeOf))].toSorted();
  const shown = type.value === '' ? rows : rows.filter((row) => typeOf(row) === type.value);
  return (
    <RoomPage title="Audit" note="Every decision is here before it has an effect; the newest first">
      {state instanceof Error && <Trouble what="The audit" error={state} again={tail.reload} />}
      {state === 'loading' && <Loading />}
      {state === 'ready' && rows.length === 0 && (
        <Empty title="Nothing is recorded yet">
          <p>Each command, verdict, sign-in and change of the gateway is one record.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <div class="audit">
          <Signed head={tail.head.value} newest={rows[0]?.seq ?? 0} />
          <section class="card audit-tail" aria-labelledby="audit-tail">
            <header class="audit-head">
              <h2 id="audit-tail">Records</h2>
              <label class="labelled audit-filter">
                <span class="heard-only">Only of type</span>
                <select
                  class="field"
                  value={type.value}
                  onChange={({ currentTarget }) => {
                    type.value = currentTarget.value;
                  }}
                >
                  <option value="">All types</option>
                  {types.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </label>
            </header>
            <Records key={type.value} rows={shown} isAll={rows.length < keptRows} />
          </section>
        </div>
      )}
    </RoomPage>
  );
}

/** A record takes some seventy nodes. */
const drawnAtOnce = 100;

interface RecordsProps {
  readonly rows: readonly AuditRow[];
  /** The page has every record that there is. */
  readonly isAll: boolean;
}

function Records({ rows, isAll }: RecordsProps) {
  const drawn = useSignal(drawnAtOnce);
  const isMore = rows.length > drawn.value;
  const more = () => {
    drawn.value += drawnAtOnce;
  };
  return (
    <>
      <ol class="audit-rows" aria-label="Records">
        {rows.slice(0, drawn.value).map((row) => (
          <RecordRow key={row.key} row={row} />
        ))}
      </ol>
      {isMore && (
        <p class="audit-more">
          <button type="button" class="button" onClick={more}>
            Show older
          </button>
        </p>
      )}
      {!isMore && !isAll && (
        <p class="soft audit-more">
          Older ones: <code>clawrden audit tail --from N</code>
        </p>
      )}
    </>
  );
}

function typeOf({ record }: AuditRow): string {
  return typeof record === 'string' ? 'not a record' : String(record['type']);
}

/** The head that was signed last, and how to verify the whole log. */
function Signed({ head, newest }: { readonly head: AuditRow | undefined; readonly newest: number }) {
  const record = typeof head?.record === 'object' ? head.record : undefined;
  return (
    <section class="card audit-signed" aria-labelledby="audit-signed">
      <h2 id="audit-signed">The last signed head</h2>
      {record === undefined || head === undefined ? (
        <p>
          None is signed yet among the last records. The gateway signs each thousandth, one every ten minutes
          when there are fewer, and the last one when it ends.
        </p>
      ) : (
        <>
          <p>
            Record <strong>{head.seq}</strong>, <Ago at={String(record['time'])} />, vouches for everything up
            to it;{' '}
            {newest - head.seq === 0 ? 'nothing is newer.' : `${newest - head.seq} newer wait for the next.`}
          </p>
          <p class="audit-hash">
            <span class="soft">Hash</span> <ShortId id={String(record['hash'])} length={24} />
            <span class="soft">Signature</span> <ShortId id={String(record['signature'])} length={24} />
          </p>
        </>
      )}
      <p class="soft">
        This page shows what the gateway answers. For a proof, read the files with a signing key that was kept
        elsewhere:
      </p>
      <pre class="audit-command">
        <code>clawrden audit verify audit.jsonl --key KEPT-KEY.pem</code>
      </pre>
    </section>
  );
}
