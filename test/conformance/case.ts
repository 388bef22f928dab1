/** What a descriptor of the command is. `same` is stderr on stdout's open file; `file` is stdin alone. */
export type Stdin = 'null' | 'closed' | 'pipe' | 'tty' | 'file';
export type Output = 'pipe' | 'null' | 'closed' | 'tty';

/** What happens to the command while it runs; a step begins when the one before it is done. */
export type Step =
  | { readonly sleep: number }
  /** Until stdout, or the terminal, says this behind the last text that was awaited. */
  | { readonly until: string }
  | { readonly untilError: string }
  /** To stdin or the terminal. */
  | { readonly write: string | Uint8Array }
  | { readonly end: 'stdin' }
  /** To the command's process group. */
  | { readonly signal: NodeJS.Signals }
  | { readonly resize: readonly [cols: number, rows: number] }
  /** The reader of the output goes away. */
  | { readonly close: 'stdout' | 'stderr' }
  | { readonly untilStopped: true }
  /** Continues a stopped command in the foreground. */
  | { readonly foreground: true }
  | { readonly pause: 'stdout' | 'stderr' }
  | { readonly resume: 'stdout' | 'stderr' };

export type StrategyName = 'ghost' | 'mirror' | 'passthrough';

/**
 * One command as data. It runs in a folder of its own below the workspace. Compared are what came out of stdout,
 * stderr and the terminal, the wait status, stops, terminal modes, unread stdin where it is kept, and the folder after.
 */
export interface Case {
  readonly name: string;
  /** A path with a slash is the caller's own program; a plain name is what Clawrden runs. */
  readonly argv: readonly [string, ...string[]];
  /** More tools that Clawrden runs where the caller's own program names them. */
  readonly tools?: readonly string[];
  /** Over LANG, TERM and PWD, which null leaves out; only names that the suite's policy allows. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Below the case's folder. */
  readonly cwd?: string;
  /** Run by sh in the folder before, outside of what is compared. */
  readonly setup?: string;
  /** A kind, or the bytes of a pipe that then ends. Left out: null, or tty where there is a terminal. */
  readonly stdin?: Stdin | { readonly bytes: string | Uint8Array };
  /** Content of stdin where it is a file; natively it is a pipe with this in it. */
  readonly input?: string;
  /** Look at what the command left in its stdin. */
  readonly keepStdin?: true;
  readonly stdout?: Output;
  readonly stderr?: Output | 'same';
  /** A terminal for every descriptor not named; 80 by 24 where true. */
  readonly tty?: true | readonly [cols: number, rows: number];
  readonly umask?: number;
  readonly ignored?: readonly NodeJS.Signals[];
  readonly steps?: readonly Step[];
  /** What differs from run to run, in the outputs: pids, host names, times. */
  readonly mask?: readonly (readonly [RegExp, string])[];
  /** Paths of the folder that differ from run to run. */
  readonly ignoredFiles?: RegExp;
  /** Runs on an undisturbed /tmp and HOME natively, too. */
  readonly fresh?: true;
  /** Strategies that the case concerns; all where left out. */
  readonly strategies?: readonly StrategyName[];
  /** 20 s where left out. */
  readonly timeoutMs?: number;
}
