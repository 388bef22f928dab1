import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import type { Context } from '../../reach/context.ts';
import { noteShown } from '../shown-questions.ts';
import { askGateway } from './ask-gateway.ts';
import { followApprovals } from './follow-approvals.ts';
import { type FullScreen, openFullScreen } from './full-screen.ts';
import { createKeyReader } from './keys.ts';
import {
  type Action,
  emptyModel,
  fullySeen,
  type Size,
  type WatchModel,
  withApprovals,
  withKey,
  withSize,
} from './watch-model.ts';
import { screenOf } from './watch-screen.ts';

/** How often the remaining times are updated. */
const clockMs = 1_000;
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Shows the queue on this process's terminal until its user quits. */
export async function watchTerminal(client: GatewayClient, context: Context): Promise<void> {
  const { stdin, stdout } = process;
  const { gateway } = context;
  const ended = new AbortController();
  let model = emptyModel(sizeOf(stdout));
  const screen = openFullScreen(stdin, stdout);
  const noteSeen = createNotes(context);
  const show = (next: WatchModel) => {
    model = next;
    screen.draw(screenOf(model, gateway));
    noteSeen(model);
  };
  const readKeys = createKeyReader();
  const act = (action: Action) => {
    if (action.type === 'quit') ended.abort();
    else if (action.type === 'suspend') suspend(screen);
    else void askGateway(client, gateway, action).then((change) => show(change(model)));
  };
  const onInput = (chunk: string) => {
    const keys = readKeys(chunk);
    // What a person types comes key by key. Several at once are pasted text, which not every terminal marks.
    if (model.open?.asking === 'approve' && keys.length > 1) return;
    for (const key of keys) {
      const before = model.open?.asking;
      const step = withKey(model, key);
      show(step.model);
      if (step.action !== undefined) act(step.action);
      // Text typed before the question was visible is not an answer to it.
      if (model.open?.asking === 'approve' && before !== 'approve') break;
    }
  };
  const onContinue = () => {
    screen.enter();
    show(withSize(model, sizeOf(stdout)));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    screen.leave();
    for (const each of endingSignals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  };
  const onResize = () => show(withSize(model, sizeOf(stdout)));
  const clock = setInterval(() => show(model), clockMs);
  stdin.setEncoding('utf8').on('data', onInput);
  stdin.once('end', () => ended.abort());
  stdout.on('resize', onResize).once('error', () => ended.abort());
  process.on('SIGCONT', onContinue);
  for (const signal of endingSignals) process.once(signal, onSignal);
  show(model);
  try {
    const onApprovals = (approvals: readonly Approval[]) => {
      if (hasNew(model.approvals, approvals)) screen.bell();
      show(withApprovals(model, approvals));
    };
    const onLost = (why: string) => show({ ...model, trouble: `not live: ${why}; trying again` });
    await followApprovals(client, { onApprovals, onLost }, ended.signal);
  } finally {
    clearInterval(clock);
    stdin.pause();
    screen.leave();
  }
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns, rows };
}

function hasNew(before: readonly Approval[], after: readonly Approval[]): boolean {
  const known = new Set(before.map(({ id }) => id));
  return after.some(({ id }) => !known.has(id));
}

/** Like ^Z in a shell: stops, and continues with SIGCONT. */
function suspend(screen: FullScreen): void {
  screen.leave();
  process.kill(process.pid, 'SIGSTOP');
}

/** Notes for each question, once, that all of it was on the screen. */
function createNotes(context: Context): (model: WatchModel) => void {
  const noted = new Set<string>();
  return (model) => {
    const { open } = model;
    if (open === undefined || noted.has(open.approval.id) || !fullySeen(model, open)) return;
    noted.add(open.approval.id);
    noteShown(context, [open.approval]);
  };
}
