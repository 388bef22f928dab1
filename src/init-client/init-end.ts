import { type ErrorCode, isErrorCode } from '../errors.ts';
import { failure, type Outcome } from '../outcome.ts';
import { initRefusals } from '../relay-codes.ts';
import type { Usage } from '../usage.ts';
import { type Frame, FrameType } from '../wire/frames.ts';

const causes = ['own', 'run-timeout', 'idle-timeout', 'output-limit', 'cancel', 'operand'] as const;
/** As a frame has them. */
export const lastCause = causes.length - 1;
export const operandCause = causes.indexOf('operand');

/** What the init's last frame says. */
export type InitEnd =
  | {
      readonly type: 'exit';
      readonly code: number;
      readonly signal: number;
      readonly cause: (typeof causes)[number];
      /** Processes of this container that the kernel killed for memory while the command ran. */
      readonly oomKills: number;
      readonly usage: Usage;
      /** Which of the plan's operands changed, if that is the cause; else empty. */
      readonly operand: string;
    }
  | { readonly type: 'refused'; readonly reason: ErrorCode; readonly text: string };

/** The end that `frame` states for a plan with these operands; undefined for any other frame. */
export function parseInitEnd({ type, payload }: Frame, operands: readonly string[]): InitEnd | undefined {
  if (type === FrameType.exit && payload.length >= 20) {
    const [code = 0, signal = 0, cause = 0] = payload;
    const oomKills = payload.readUInt32BE(3);
    const usage = usageIn(payload);
    const why = causes[cause] ?? 'own';
    const operand = why === 'operand' ? (operands[payload.readUInt8(19)] ?? 'a script') : '';
    return { type: 'exit', code, signal, cause: why, oomKills, usage, operand };
  }
  if (type !== FrameType.refused) return undefined;
  const [, reason = '', text = ''] = /^([a-z0-9-]+): (.*)$/s.exec(payload.toString()) ?? [];
  return {
    type: 'refused',
    // In an agent's own container whatever runs there may say anything.
    reason: isErrorCode(reason) && initRefusals.has(reason) ? reason : 'internal',
    text: text || payload.toString(),
  };
}

function usageIn(payload: Buffer): Usage {
  const at = (offset: number) => payload.readUInt32BE(offset);
  return { userMs: at(7), systemMs: at(11), maxResidentKib: at(15) };
}

export interface EndLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** 0 if the limit is not ours. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
}

/** Also if the tool was a child of a shell, which passes the signal on as its own exit code. */
function diedForMemory({ oomKills, signal, code }: Extract<InitEnd, { type: 'exit' }>): boolean {
  return oomKills > 0 && (signal === 9 || code === 128 + 9);
}

/** The tool ended by itself, and by no signal, as far as its status tells: a shell passes on that its child did. */
export function isOwnEnd(end: InitEnd): boolean {
  return end.type === 'exit' && end.cause === 'own' && end.signal === 0 && end.code <= 128;
}

/** The outcome for the caller. A cancel becomes `canceled`; the caller knows the reason better and may replace it. */
export function outcomeOfEnd(end: InitEnd, limits: EndLimits): Outcome {
  if (end.type === 'refused') return failure(end.reason, end.text);
  switch (end.cause) {
    case 'run-timeout':
      return failure('run-timeout', `the command ran longer than ${limits.timeoutMs / 1000} s`);
    case 'idle-timeout':
      return failure('idle-timeout', `the command was silent for ${limits.idleTimeoutMs / 1000} s`);
    case 'output-limit':
      return failure('output-limit', `the command wrote more than ${limits.outputBytes} bytes`);
    case 'cancel':
      return failure('canceled', 'the command was canceled');
    case 'operand':
      return failure('operand-changed', `${end.operand} was changed while it ran, so it was killed`);
    case 'own':
      return diedForMemory(end)
        ? failure('out-of-memory', memoryText(limits))
        : { kind: 'exited', code: end.code, signal: end.signal };
  }
}

function memoryText({ memoryBytes }: EndLimits): string {
  if (memoryBytes === 0) return 'the command needed more memory than its container has';
  return `the command needed more than ${memoryBytes} bytes of memory`;
}
