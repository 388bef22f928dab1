import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { QuestionProps } from './desk.ts';
import { focusNext } from './focus-next.ts';
import type { Answer } from './give-verdicts.ts';
import { readOn } from './read-on.ts';
import type { Reading } from './reading.ts';

const grants = [
  ['', 'this once'],
  ['15', 'for 15 minutes'],
  ['60', 'for an hour'],
  ['480', 'for 8 hours'],
  ['1440', 'for a day'],
] as const;

type Form = 'approve' | 'deny' | undefined;

/** The answer to one question, always within reach. */
export function AnswerBar({ desk, question }: QuestionProps) {
  const form = useSignal<Form>(undefined);
  const isBusy = useSignal(false);
  const reading = desk.reading(question.id);
  const answer = async (said: Answer) => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    const { counted } = await desk.answer([question], said);
    if (counted > 0) focusNext(desk, question.id);
    isBusy.value = false;
    form.value = undefined;
  };
  const close = () => {
    form.value = undefined;
  };
  return (
    <div class="answer-bar" role="group" aria-label="Your answer">
      {form.value === undefined ? (
        <Buttons
          reading={reading}
          busy={isBusy.value}
          onForm={(wanted) => {
            form.value = wanted;
          }}
          onApprove={() => void answer({ verdict: 'approve', reason: '' })}
        />
      ) : (
        <AnswerForm
          key={form.value}
          verdict={form.value}
          noGrant={question.noGrant}
          busy={isBusy.value}
          onAnswer={(said) => void answer(said)}
          onClose={close}
        />
      )}
    </div>
  );
}

interface ButtonsProps {
  readonly reading: Reading;
  readonly busy: boolean;
  readonly onForm: (form: Form) => void;
  readonly onApprove: () => void;
}

function Buttons({ reading, busy, onForm, onApprove }: ButtonsProps) {
  const isUnread = reading.unread.value > 0;
  return (
    <>
      {isUnread && (
        <button type="button" class="button quiet answer-read" onClick={() => readOn(reading)}>
          Read on to approve ↓
        </button>
      )}
      <span class="answer-buttons">
        <button
          type="button"
          class="button danger"
          data-answer="deny"
          disabled={busy}
          onClick={() => onForm('deny')}
        >
          Deny…
        </button>
        <button type="button" class="button" disabled={busy || isUnread} onClick={() => onForm('approve')}>
          Approve with…
        </button>
        <button
          type="button"
          class="button main"
          data-answer="approve"
          disabled={busy || isUnread}
          onClick={onApprove}
        >
          Approve
        </button>
      </span>
    </>
  );
}

interface AnswerFormProps {
  readonly verdict: 'approve' | 'deny';
  readonly noGrant: string;
  readonly busy: boolean;
  readonly onAnswer: (answer: Answer) => void;
  readonly onClose: () => void;
}

function AnswerForm({ verdict, noGrant, busy, onAnswer, onClose }: AnswerFormProps) {
  const reason = useSignal('');
  const minutes = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const isDeny = verdict === 'deny';
  return (
    <form
      class="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        const grant = minutes.peek() === '' ? {} : { grantMinutes: Number(minutes.peek()) };
        onAnswer({ verdict, reason: reason.peek().trim(), ...grant });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <label class="labelled answer-reason">
        {isDeny ? 'Why not? The agent is told' : 'Reason, for the record'}
        <input
          ref={field}
          class="field"
          maxLength={1024}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
          }}
        />
      </label>
      {!isDeny && <HowLong minutes={minutes} noGrant={noGrant} />}
      <span class="answer-buttons">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class={isDeny ? 'button main danger' : 'button main'} disabled={busy}>
          {isDeny ? 'Deny' : 'Approve'}
        </button>
      </span>
      {!isDeny && noGrant !== '' && <p class="soft small">Only this once: {noGrant}</p>}
    </form>
  );
}

function HowLong({ minutes, noGrant }: { readonly minutes: Signal<string>; readonly noGrant: string }) {
  return (
    <label class="labelled">
      Approve
      <select
        class="field"
        disabled={noGrant !== ''}
        value={minutes.value}
        onChange={({ currentTarget }) => {
          minutes.value = currentTarget.value;
        }}
      >
        {grants.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
