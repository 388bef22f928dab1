import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { commandText } from '../../../../../src/text/command-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { Rendered } from '../../parts/texts.tsx';
import { Left } from '../../parts/times.tsx';
import { WindowList } from '../../parts/window-list.tsx';
import type { Desk } from './desk.ts';
import { mayAnswer } from './may-answer.ts';
import { PickedBar } from './picked-bar.tsx';

interface QuestionListProps {
  readonly desk: Desk;
  /** A row leads to the question's own page. */
  readonly isNarrow: boolean;
}

/** In em of the page. */
const rowHeight = 4.25;
/** Of a command's line; the row is not wider. */
const most = 160;

export function QuestionList({ desk, isNarrow }: QuestionListProps) {
  const { session } = useDashboard();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return (
    <section class="waiting-list" aria-label="Questions">
      {mayAnswer(session) && <PickedBar desk={desk} />}
      <WindowList
        label="Questions, the oldest first"
        rows={desk.rows.value}
        keyOf={({ id }) => id}
        rowHeight={Math.round(rowHeight * rem)}
        current={desk.current.value}
      >
        {(question) => <Row desk={desk} question={question} isNarrow={isNarrow} />}
      </WindowList>
    </section>
  );
}

function Row({ desk, question, isNarrow }: QuestionListProps & { readonly question: ApprovalView }) {
  const { session } = useDashboard();
  const { id, agent, expiresAt } = question;
  const ending = desk.gone.value.get(id);
  const isGone = ending !== undefined || !useDashboard().waiting.rows.value.has(id);
  const isCurrent = !isNarrow && desk.current.value === id;
  return (
    <div class={`waiting-row${isCurrent ? ' is-current' : ''}${isGone ? ' is-gone' : ''}`}>
      {mayAnswer(session) && <Pick desk={desk} question={question} isGone={isGone} />}
      <a
        href={`/a/${id}`}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={(event) => {
          if (isNarrow || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          desk.go(id);
        }}
      >
        <span class="waiting-row-head">
          <strong>{agent === '' ? 'an orchestrator' : agent}</strong>
          {isGone ? (
            <span class="soft waiting-row-ending">{ending ?? 'gone'}</span>
          ) : (
            <Left until={expiresAt} />
          )}
        </span>
        <q class="agent-text waiting-row-command" dir="ltr">
          <Rendered text={lineOf(question)} />
        </q>
      </a>
    </div>
  );
}

interface PickProps {
  readonly desk: Desk;
  readonly question: ApprovalView;
  readonly isGone: boolean;
}

function Pick({ desk: { picked }, question: { id, agent }, isGone }: PickProps) {
  return (
    <label class="waiting-pick">
      <input
        type="checkbox"
        aria-label={`Select the question of ${agent === '' ? 'an orchestrator' : agent}, ${id.slice(0, 8)}`}
        checked={picked.value.has(id)}
        disabled={isGone}
        onChange={({ currentTarget }) => {
          const next = new Set(picked.peek());
          if (currentTarget.checked) next.add(id);
          else next.delete(id);
          picked.value = next;
        }}
      />
    </label>
  );
}

function lineOf(question: ApprovalView): string {
  // What is longer is not rendered: the row shows no more of it.
  const argv = question.argv.slice(0, most).map((word) => word.slice(0, most));
  const text = commandText({ ...question, argv });
  return text.length > most ? `${text.slice(0, most).replace(/\\[^\\]{0,11}$/, '')} …` : text;
}
