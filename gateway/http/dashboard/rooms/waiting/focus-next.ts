import type { Desk } from './desk.ts';

/**
 * After an answer: Enter shows the next question; what became of this one stays until then.
 * A person who went on while the answer was on its way keeps the focus: what they type next must not become keys.
 */
export function focusNext({ rows, current, gone }: Desk, answered: string): void {
  const now = current.peek();
  if (now !== answered || !isWhereAnswered(document.activeElement)) return;
  const open = rows.peek().filter(({ id }) => id === now || !gone.peek().has(id));
  const at = open.findIndex(({ id }) => id === now);
  const next = open[at + 1] ?? open[at - 1];
  const row = next && document.querySelector<HTMLElement>(`.waiting-row a[href="/a/${next.id}"]`);
  (row ?? document.querySelector<HTMLElement>('.question'))?.focus();
}

/** The body has the focus once the button or the field that had it is gone. */
function isWhereAnswered(focused: Element | null): boolean {
  return focused === null || focused.matches('body, .question, .answer-bar, .answer-bar *');
}
