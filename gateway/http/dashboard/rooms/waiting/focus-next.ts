import type { Desk } from './desk.ts';

/** After an answer: Enter shows the next question; what became of this one stays until then. */
export function focusNext({ rows, current, gone }: Desk): void {
  const now = current.peek();
  const open = rows.peek().filter(({ id }) => id === now || !gone.peek().has(id));
  const at = open.findIndex(({ id }) => id === now);
  const next = open[at + 1] ?? open[at - 1];
  const row = next && document.querySelector<HTMLElement>(`.waiting-row a[href="/a/${next.id}"]`);
  (row ?? document.querySelector<HTMLElement>('.question'))?.focus();
}
