import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** In front of the page, until it is closed; Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  /** The question. */
  readonly title: string;
  /** The word on the button: what will be done. */
  readonly action: string;
  readonly danger?: boolean;
  /** Nothing can be pressed twice while it runs. */
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** What will stop, and what it means. */
  readonly children: ComponentChildren;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({ title, action, danger, busy, onConfirm, onCancel, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onCancel}>
      {children}
      <form
        class="dialog-actions"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class={danger === true ? 'button main danger' : 'button main'} disabled={busy}>
          {action}
        </button>
      </form>
    </Dialog>
  );
}
