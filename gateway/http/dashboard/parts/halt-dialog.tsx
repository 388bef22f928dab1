import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Confirm } from './dialog.tsx';
import { problemText } from './problem-text.ts';
import { AgentText } from './texts.tsx';

interface HaltDialogProps {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  /** How it is now what will be changed, in words: if they change, nothing can be confirmed any more. */
  readonly now?: string;
  /** What is done with the reason that was given; it closes the dialog, or throws what went wrong. */
  readonly onConfirm: (reason: string) => Promise<void>;
  readonly onCancel: () => void;
  /** What will stop. */
  readonly children: ComponentChildren;
}

/**
 * A confirm with a reason for the audit; what goes wrong is told in it. Its words and its button stay what they were
 * when it was opened, whatever changes meanwhile.
 */
export function HaltDialog(props: HaltDialogProps) {
  const opened = useRef(props).current;
  const { title, action, danger, onConfirm, onCancel, children } = opened;
  const reason = useSignal('');
  const isBusy = useSignal(false);
  const problem = useSignal('');
  // While it runs, what changes is what it does.
  const isOver = props.now !== opened.now && !isBusy.value;
  const confirm = async () => {
    isBusy.value = true;
    try {
      await onConfirm(reason.value.trim());
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Confirm
      {...{ title, action, onCancel }}
      danger={danger ?? false}
      busy={isBusy.value || isOver}
      onConfirm={() => void confirm()}
    >
      {children}
      <label class="labelled">
        Reason, for the record
        <input
          class="field"
          maxLength={1024}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
          }}
        />
      </label>
      {isOver && (
        <p class="trouble" role="alert">
          It changed meanwhile: <AgentText text={props.now ?? ''} bare />. Close this, and look again.
        </p>
      )}
      {problem.value !== '' && (
        <p class="trouble" role="alert">
          {problem.value}
        </p>
      )}
    </Confirm>
  );
}
