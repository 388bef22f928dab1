import { effect, type ReadonlySignal } from '@preact/signals';
import type { ApprovalView } from '../../../../src/http-api/approvals.ts';
import { commandText } from '../../../../src/text/command-text.ts';

export const alertsKey = 'clawrden-alerts';

/** A burst is one notification, and the next one comes no sooner. */
const apartMs = 3000;
const most = 120;

/** Tells of new questions where nobody looks. All pages of a browser tell the same one, which it shows once. */
export function startAlerts(questions: ReadonlySignal<ReadonlyMap<string, ApprovalView>>): () => void {
  let known: ReadonlyMap<string, ApprovalView> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fresh: ApprovalView[] = [];
  const tell = () => {
    timer = undefined;
    const waits = fresh.filter(({ id }) => questions.peek().has(id));
    fresh = [];
    const [first] = waits;
    if (first === undefined || !document.hidden || localStorage.getItem(alertsKey) !== 'on') return;
    const title =
      waits.length === 1 ? `${first.agent || 'An orchestrator'} asks` : `${waits.length} commands wait`;
    const notification = new Notification(title, { body: commandText(first).slice(0, most), tag: first.id });
    notification.addEventListener('click', () => {
      focus();
      location.assign(waits.length === 1 ? `/a/${first.id}` : '/waiting');
    });
  };
  const stop = effect(() => {
    const now = questions.value;
    const before = known;
    // What was there when the page opened is no news.
    if (now.size > 0 || before !== undefined) known = now;
    if (before === undefined) return;
    fresh.push(...[...now.values()].filter(({ id }) => !before.has(id)));
    if (fresh.length > 0) timer ??= setTimeout(tell, apartMs / 10);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
