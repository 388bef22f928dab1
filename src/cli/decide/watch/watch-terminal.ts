import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import type { Context } from '../../reach/context.ts';
import { noteShown } from '../shown-questions.ts';
import { askGateway } from './ask-gateway.ts';
import { type ApprovalsFollower, followApprovals } from './follow-approvals.ts';
import { type FullScreen, openFullScreen } from './full-screen.ts';
import { createKeyReader, type Key } from './keys.ts';
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
  const ended = new AbortController();
  const quit = () => ended.abort();
  const watch = new Watch(client, context, quit);
  using _ = listen(watch, quit);
  watch.show();
  await followApprovals(client, watch, ended.signal);
}

/** The model, and the terminal that shows it. */
class Watch implements ApprovalsFollower {
  readonly #client: GatewayClient;
  readonly #gateway: string;
  readonly #quit: () => void;
  readonly #noteSeen: (model: WatchModel) => void;
  readonly #screen: FullScreen;
  #model: WatchModel;

  constructor(client: GatewayClient, context: Context, quit: () => void) {
    this.#client = client;
    this.#gateway = context.gateway;
    this.#quit = quit;
    this.#noteSeen = createNotes(context);
    this.#model = emptyModel(sizeOf(process.stdout));
    this.#screen = openFullScreen(process.stdin, process.stdout);
  }

  onApprovals = (approvals: readonly Approval[]): void => {
    if (hasNew(this.#model.approvals, approvals)) this.#screen.bell();
    this.show(withApprovals(this.#model, approvals));
  };

  onLost = (why: string): void => {
    this.show({ ...this.#model, trouble: `not live: ${why}; trying again` });
  };

  /** Without a model: again, because a time or the size of the terminal has changed. */
  show(model: WatchModel = this.#model): void {
    this.#model = model;
    this.#screen.draw(screenOf(model, this.#gateway));
    this.#noteSeen(model);
  }

  resize(): void {
    this.show(withSize(this.#model, sizeOf(process.stdout)));
  }

  typed(keys: readonly Key[]): void {
    // What a person types comes key by key. Several at once are pasted text, which not every terminal marks.
    if (this.#isAskingToApprove && keys.length > 1) return;
    for (const key of keys) {
      const wasAsking = this.#isAskingToApprove;
      const { model, action } = withKey(this.#model, key);
      this.show(model);
      if (action !== undefined) this.#act(action);
      // Text typed before the question was visible is not an answer to it.
      if (this.#isAskingToApprove && !wasAsking) break;
    }
  }

  /** Restores the terminal; may be called more than once. */
  leave(): void {
    this.#screen.leave();
  }

  /** After a stop, like ^Z in a shell. */
  goOn(): void {
    this.#screen.enter();
    this.resize();
  }

  get #isAskingToApprove(): boolean {
    return this.#model.open?.asking === 'approve';
  }

  #act(action: Action): void {
    if (action.type === 'quit') return this.#quit();
    if (action.type === 'suspend') {
      this.leave();
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    void askGateway(this.#client, this.#gateway, action).then((change) => this.show(change(this.#model)));
  }
}

/** Keys, signals, the clock and changes of the terminal, until it is disposed of. */
function listen(watch: Watch, quit: () => void): Disposable {
  const { stdin, stdout } = process;
  const readKeys = createKeyReader();
  const onInput = (chunk: string) => watch.typed(readKeys(chunk));
  const onResize = () => watch.resize();
  const onContinue = () => watch.goOn();
  const onSignal = (signal: NodeJS.Signals) => {
    watch.leave();
    for (const each of endingSignals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  };
  const clock = setInterval(() => watch.show(), clockMs);
  stdin.setEncoding('utf8').on('data', onInput).once('end', quit);
  stdout.on('resize', onResize).once('error', quit);
  process.on('SIGCONT', onContinue);
  for (const signal of endingSignals) process.once(signal, onSignal);
  return {
    [Symbol.dispose]: () => {
      clearInterval(clock);
      stdin.off('data', onInput).off('end', quit).pause();
      stdout.off('resize', onResize);
      process.off('SIGCONT', onContinue);
      for (const signal of endingSignals) process.off(signal, onSignal);
      watch.leave();
    },
  };
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns, rows };
}

function hasNew(before: readonly Approval[], after: readonly Approval[]): boolean {
  const known = new Set(before.map(({ id }) => id));
  return after.some(({ id }) => !known.has(id));
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
