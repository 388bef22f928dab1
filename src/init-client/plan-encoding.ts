/** What one of the tool's descriptors 0 to 2 is; `same` is for stderr only: one pipe with stdout. */
export type InitStdio = 'closed' | 'null' | 'pipe' | 'tty' | 'same';

export interface InitFile {
  /** `/run/secrets/NAME`. */
  readonly path: string;
  readonly text: string;
}

/** What the init needs to know of a Plan. Limits: 0 means none. */
export interface InitPlan {
  /** Run by a Docker exec in the agent's container: the init looks up the tool's original there. */
  readonly mirror: boolean;
  /** The tool's stdin is /dev/null, and the init never grants credit. */
  readonly stdinNone: boolean;
  /** The init gives the tool a terminal of its own; stdin and stdout are `tty`. */
  readonly terminal: boolean;
  /** Block AF_VSOCK (ghosts). */
  readonly confine: boolean;
  /** The init reports the operands and runs nothing. */
  readonly inspect: boolean;
  /** The init listens for the tool's connections, and carries them (ghosts). */
  readonly network: boolean;
  /** What the tool leaves in the background lives on if it ended by itself (sessions). */
  readonly leave: boolean;
  readonly stdio: readonly [InitStdio, InitStdio, InitStdio];
  readonly umask: number;
  readonly cols: number;
  readonly rows: number;
  /** Signal numbers, 1 to 64, that are ignored at exec. */
  readonly ignored: readonly number[];
  /** And those that are blocked. */
  readonly blocked: readonly number[];
  readonly runMs: number;
  readonly idleMs: number;
  readonly outputBytes: number;
  readonly fileBytes: number;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute, or empty: the cwd is entered and not compared. */
  readonly workspace: string;
  /** `argv[0]` is the tool's name. */
  readonly argv: readonly string[];
  /** The whole environment, NAME=value. */
  readonly env: readonly string[];
  /** Files that the tool will run, at most 8, each once; the init reports what it finds for each. */
  readonly operands: readonly string[];
  /** Written below /run/secrets before the tool starts; at most 16, each path once. */
  readonly files: readonly InitFile[];
  /** What the init must find for each file, as `operand-texts.ts` writes it; empty if any answer will do. */
  readonly expected: readonly string[];
}

const planVersion = 4;
const stdioNumber: Readonly<Record<InitStdio, number>> = { closed: 0, null: 1, pipe: 2, tty: 3, same: 4 };

/** The payload of a plan frame, as `docs/protocol.md` lists it. Throws a RangeError if a value cannot be encoded. */
export function encodePlan(plan: InitPlan): Buffer {
  return Buffer.concat([
    encodeNumbers(plan),
    encodeString(plan.cwd),
    encodeString(plan.workspace),
    encodeList(plan.argv),
    encodeList(plan.env),
    encodeList(plan.operands),
    encodeList(plan.expected),
    encodeList(plan.files.flatMap(({ path, text }) => [path, text])),
  ]);
}

function encodeNumbers(plan: InitPlan): Buffer {
  const bytes = Buffer.alloc(51);
  bytes.writeUInt8(planVersion, 0);
  bytes.writeUInt8(flagsOf(plan), 1);
  plan.stdio.forEach((kind, fd) => {
    bytes.writeUInt8(stdioNumber[kind], 2 + fd);
  });
  bytes.writeUInt16BE(plan.umask, 5);
  bytes.writeUInt16BE(plan.cols, 7);
  bytes.writeUInt16BE(plan.rows, 9);
  bytes.writeBigUInt64BE(signalSet(plan.ignored), 11);
  bytes.writeBigUInt64BE(signalSet(plan.blocked), 19);
  bytes.writeUInt32BE(plan.runMs, 27);
  bytes.writeUInt32BE(plan.idleMs, 31);
  bytes.writeBigUInt64BE(BigInt(plan.outputBytes), 35);
  bytes.writeBigUInt64BE(BigInt(plan.fileBytes), 43);
  return bytes;
}

function flagsOf({ mirror, stdinNone, terminal, confine, inspect, network, leave }: InitPlan): number {
  const flags = [mirror, stdinNone, terminal, confine, inspect, network, leave];
  return flags.reduce((set, given, bit) => set | (given ? 1 << bit : 0), 0);
}

function signalSet(signals: readonly number[]): bigint {
  return signals.reduce((set, signal) => {
    if (signal < 1 || signal > 64) throw new RangeError(`${signal} is not a signal number`);
    return set | (1n << BigInt(signal - 1));
  }, 0n);
}

function encodeList(items: readonly string[]): Buffer {
  const count = Buffer.allocUnsafe(2);
  count.writeUInt16BE(items.length, 0);
  return Buffer.concat([count, ...items.map(encodeString)]);
}

/** The NUL after the bytes lets the init use them in place. A NUL inside would end the string early there. */
function encodeString(text: string): Buffer {
  if (text.includes('\0')) throw new RangeError('a plan holds no NUL');
  const bytes = Buffer.byteLength(text);
  const encoded = Buffer.alloc(4 + bytes + 1);
  encoded.writeUInt32BE(bytes, 0);
  encoded.write(text, 4, 'utf8');
  return encoded;
}
