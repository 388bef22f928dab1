import { useSignal } from '@preact/signals';
import { useDashboard } from '../../data/dashboard.ts';
import { HaltDialog } from '../../parts/halt-dialog.tsx';
import { answeredText } from './answered.ts';
import type { Desk } from './desk.ts';

/** What can be done with several questions at once. */
export function PickedBar({ desk }: { readonly desk: Desk }) {
  const { waiting, notices } = useDashboard();
  const asked = useSignal<'approve' | 'deny' | undefined>(undefined);
  const all = waiting.rows.value;
  const picked = [...desk.picked.value].flatMap((id) => all.get(id) ?? []);
  const unseen = picked.filter(({ id }) => !desk.reading(id).isWhole.value).length;
  const clear = () => {
    desk.picked.value = new Set();
  };
  const answer = async (reason: string) => {
    const verdict = asked.peek() ?? 'deny';
    const answered = await desk.answer(picked, { verdict, reason });
    asked.value = undefined;
    clear();
    const text = answeredText(verdict, picked.length, answered);
    notices.tell(text, answered.counted === picked.length ? 'good' : 'bad');
  };
  const title = `${asked.value === 'deny' ? 'Deny' : 'Approve'} ${picked.length} ${picked.length === 1 ? 'question' : 'questions'}`;
  return (
    <div class="waiting-picked">
      <label class="waiting-pick">
        <input
          type="checkbox"
          aria-label="Select all questions"
          checked={picked.length > 0 && picked.length === all.size}
          onChange={({ currentTarget }) => {
            desk.picked.value = new Set(currentTarget.checked ? all.keys() : []);
          }}
        />
      </label>
      {picked.length === 0 ? (
        <span class="soft">Select to answer together</span>
      ) : (
        <Actions
          count={picked.length}
          unseen={unseen}
          onAsk={(verdict) => {
            asked.value = verdict;
          }}
        />
      )}
      {asked.value !== undefined && (
        <HaltDialog
          title={`${title}?`}
          action={title}
          danger={asked.value === 'deny'}
          onConfirm={answer}
          onCancel={() => {
            asked.value = undefined;
          }}
        >
          <p>Each is answered by itself; one that somebody else answers first stays as it was answered.</p>
        </HaltDialog>
      )}
    </div>
  );
}

interface ActionsProps {
  readonly count: number;
  /** Of these, not every row was on the screen. */
  readonly unseen: number;
  readonly onAsk: (verdict: 'approve' | 'deny') => void;
}

function Actions({ count, unseen, onAsk }: ActionsProps) {
  return (
    <>
      <span class="waiting-picked-count">{count} selected</span>
      <button type="button" class="button short" disabled={unseen > 0} onClick={() => onAsk('approve')}>
        Approve…
      </button>
      <button type="button" class="button short danger" onClick={() => onAsk('deny')}>
        Deny…
      </button>
      {unseen > 0 && <span class="soft small">{unseen} not read to the end: only denied together</span>}
    </>
  );
}
