import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useDashboard } from '../../data/dashboard.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { Desk } from './desk.ts';
import { mayAnswer } from './may-answer.ts';
import { readOn } from './read-on.ts';

const keys = [
  ['j', 'the next question'],
  ['k', 'the one before'],
  ['a', 'read on; at the end of the plan: to the button Approve, Enter presses it'],
  ['d', 'deny: asks for a reason, Enter sends it, Escape takes it back'],
  ['x', 'select this question, to answer several together'],
  ['?', 'these keys'],
] as const;

/** Letters act on the question that is shown, except where somebody types. */
export function useKeys(desk: Desk): void {
  const { session } = useDashboard();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (act(event.key, desk, mayAnswer(session))) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [desk]);
}

function act(key: string, desk: Desk, answers: boolean): boolean {
  if (key === 'j') return step(desk, 1);
  if (key === 'k') return step(desk, -1);
  if (key === '?') return press('[data-keys]');
  if (!answers) return false;
  if (key === 'd') return press('[data-answer="deny"]');
  if (key === 'a') return toApprove(desk);
  return key === 'x' && pick(desk);
}

function step(desk: Desk, by: 1 | -1): boolean {
  desk.step(by);
  return true;
}

function toApprove(desk: Desk): boolean {
  const reading = desk.reading(desk.current.peek());
  if (reading.unread.peek() > 0) readOn(reading);
  else document.querySelector<HTMLElement>('[data-answer="approve"]')?.focus();
  return true;
}

function pick({ current, picked, gone }: Desk): boolean {
  const id = current.peek();
  const next = new Set(picked.peek());
  if (!next.delete(id) && !gone.peek().has(id)) next.add(id);
  picked.value = next;
  return true;
}

function press(selector: string): boolean {
  const button = document.querySelector<HTMLElement>(selector);
  button?.click();
  return button !== null;
}

function isTyping(target: EventTarget | null): boolean {
  const isField =
    target instanceof HTMLElement && target.closest('input:not([type=checkbox]), select, textarea');
  return Boolean(isField) || document.querySelector('dialog[open]') !== null;
}

export function KeysHelp() {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="button quiet"
        data-keys
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Keys <kbd>?</kbd>
      </button>
      {isOpen.value && (
        <Dialog
          title="Keys"
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <dl class="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <div class="dialog-actions">
            <form method="dialog">
              <button type="submit" class="button">
                Close
              </button>
            </form>
          </div>
        </Dialog>
      )}
    </>
  );
}
