import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Confirm } from './dialog.tsx';
import { problemText } from './states.tsx';

interface HaltDialogProps {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  /** What is done with the reason that was given; it closes the dialog, or throws what went wrong. */
  readonly onConfirm: (reason: string) => Promise<void>;
  readonly onCancel: () => void;
  /** What will stop. */
  readonly children: ComponentChildren;
}

/** A confirm with a reason for the audit; what goes wrong is told in it. */
export function HaltDialog({ title, action, danger, onConfirm, onCancel, children }: HaltDialogProps) {
  const reason = useSignal('');
  const isBusy = useSignal(false);
  const problem = useSignal('');
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
      busy={isBusy.value}
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
      {problem.value !== '' && (
        <p class="trouble" role="alert">
          {problem.value}
        </p>
      )}
    </Confirm>
  );
}
