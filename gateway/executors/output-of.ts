import type { Output, Send } from '../../src/wire/execution-io.ts';
import type { Execution } from '../execution/execution.ts';
import type { GivenSecrets } from '../secrets/given-secrets.ts';

type Written = Extract<Output, { type: 'stdout' | 'stderr' }>;

/** Where a tool's init sends what it says: to what is kept of it, and to its caller. Disposed of, it ends as cut off. */
export interface ToolOutput extends Disposable {
  readonly send: Send<Output>;
  /** Nothing more comes. Lets go what is held back; `isWhole` if the tool came to its own end. */
  readonly end: (isWhole: boolean) => void;
}

/**
 * Secrets are masked in what is kept; and for the caller, too, unless the plan says `unmasked` and nothing of what the
 * caller gets is kept. Masking holds back the end of each stream: lines until the tool is silent, or writes elsewhere;
 * the rest until it is silent for longer.
 */
export function outputOf(
  execution: Pick<Execution, 'send' | 'output' | 'isKept'>,
  secrets: GivenSecrets | undefined,
  unmasked: boolean,
): ToolOutput {
  const keep = ({ type, bytes }: Written) => execution.output.add(type === 'stdout' ? 1 : 2, bytes);
  if (secrets !== undefined) return new MaskedOutput(execution, keep, secrets, unmasked && !execution.isKept);
  return {
    send: (output) => {
      if (isWritten(output)) keep(output);
      return execution.send(output);
    },
    end: () => {},
    [Symbol.dispose]: () => {},
  };
}

const linesAfterMs = 100;
const restAfterMs = 1000;

class MaskedOutput implements ToolOutput {
  readonly #masks;
  readonly #keep;
  readonly #pass;
  readonly #unmasked;
  #lastWritten: Written['type'] = 'stdout';
  #timers: readonly NodeJS.Timeout[] = [];
  /** Of what a timer let go. */
  #waiting: Promise<void> | undefined;
  #unread: Output | undefined;
  #isOver = false;

  constructor(
    { send }: Pick<Execution, 'send'>,
    keep: (written: Written) => void,
    secrets: GivenSecrets,
    unmasked: boolean,
  ) {
    this.#masks = { stdout: secrets.mask(), stderr: secrets.mask() };
    this.#keep = keep;
    this.#pass = send;
    this.#unmasked = unmasked;
  }

  readonly send: Send<Output> = (output) => {
    if (isWritten(output)) return this.#write(output);
    // Who stops a tool within a secret is not told what it has written of it.
    if (output.type === 'stopped') this.#stopTimers();
    if (output.type !== 'unread') return this.#pass(output);
    // Behind it comes no output, but for what is held back.
    this.#unread = output;
    return undefined;
  };

  end(isWhole: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimers();
    for (const type of this.#inOrder()) {
      const stream = this.#masks[type];
      void this.#give(type, isWhole ? stream.rest() : stream.cut());
    }
    if (this.#unread !== undefined) void this.#pass(this.#unread);
  }

  [Symbol.dispose](): void {
    this.end(false);
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #write({ type, bytes }: Written): Promise<void> | undefined {
    this.#stopTimers();
    const waits = [this.#waiting];
    if (type !== this.#lastWritten) waits.push(this.#lines(this.#lastWritten));
    this.#lastWritten = type;
    waits.push(this.#give(type, this.#masks[type].push(bytes)));
    this.#timers = [
      setTimeout(() => this.#letGo((each) => this.#lines(each)), linesAfterMs),
      setTimeout(() => this.#letGo((each) => this.#give(each, this.#masks[each].rest())), restAfterMs),
    ];
    if (this.#unmasked) waits.push(this.#pass({ type, bytes }));
    this.#waiting = undefined;
    return allOf(waits);
  }

  #letGo(some: (type: Written['type']) => Promise<void> | undefined): void {
    this.#waiting = allOf([this.#waiting, ...this.#inOrder().map(some)]);
  }

  #lines(type: Written['type']): Promise<void> | undefined {
    return this.#give(type, this.#masks[type].lines());
  }

  #give(type: Written['type'], bytes: Buffer): Promise<void> | undefined {
    if (bytes.length === 0) return undefined;
    this.#keep({ type, bytes });
    return this.#unmasked ? undefined : this.#pass({ type, bytes });
  }

  #inOrder(): readonly Written['type'][] {
    return this.#lastWritten === 'stdout' ? ['stderr', 'stdout'] : ['stdout', 'stderr'];
  }
}

function allOf(waits: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  const all = waits.filter((wait) => wait !== undefined);
  return all.length === 0 ? undefined : Promise.all(all).then(() => {});
}

function isWritten(output: Output): output is Written {
  return output.type === 'stdout' || output.type === 'stderr';
}
