/** The kind of a descriptor of the command. `same` is stderr on stdout's open file; `file` is only for stdin. */
export type Stdin = 'null' | 'closed' | 'pipe' | 'tty' | 'file';
export type Output = 'pipe' | 'null' | 'closed' | 'tty';

/** What happens to the command while it runs; a step begins when the one before it is done. */
export type Step =
  | { readonly sleep: number }
  /** Waits until stdout, or the terminal, shows this after the last awaited text. */
  | { readonly until: string }
  | { readonly untilError: string }
  /** To stdin or the terminal. */
  | { readonly write: string | Uint8Array }
  | { readonly end: 'stdin' }
  /** To the command's process group. */
  | { readonly signal: NodeJS.Signals }
  | { readonly resize: readonly [cols: number, rows: number] }
  /** The reader of the output closes it. */
  | { readonly close: 'stdout' | 'stderr' }
  | { readonly untilStopped: true }
  /** Continues a stopped command in the foreground. */
  | { readonly foreground: true }
  | { readonly pause: 'stdout' | 'stderr' }
  | { readonly resume: 'stdout' | 'stderr' };

export type StrategyName = 'ghost' | 'mirror' | 'passthrough';

/**
 * What the suite runs in: a strategy, or `replica`: ghosts on hosts that have only a replica of the workspace; or
 * `session`: all cases in one container that the agent keeps.
 */
export type Mode = StrategyName | 'replica' | 'session';

export function strategyOf(mode: Mode): StrategyName {
  return mode === 'replica' || mode === 'session' ? 'ghost' : mode;
}

/**
 * One command as data. It runs in its own folder below the workspace. The suite compares the output on stdout, stderr
 * and the terminal, the wait status, stops, terminal modes, the unread stdin if it is kept, and the folder
 * afterwards.
 */
export interface Case {
  readonly name: string;
  /** A path with a slash is the caller's own program; a plain name is a tool that Clawrden runs. */
  readonly argv: readonly [string, ...string[]];
  /** More tools that Clawrden runs when the caller's own program names them. */
  readonly tools?: readonly string[];
  /** Added to LANG, TERM and PWD; null removes one. Only names that the suite's policy allows. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Below the case's folder. */
  readonly cwd?: string;
  /** Run by sh in the folder before, outside of what is compared. */
  readonly setup?: string;
  /** A kind, or the bytes of a pipe that then ends. If absent: null, or tty if there is a terminal. */
  readonly stdin?: Stdin | { readonly bytes: string | Uint8Array };
  /** Content of stdin if it is a file; natively stdin is a pipe with this content. */
  readonly input?: string;
  /** Compare what the command left in its stdin. */
  readonly keepStdin?: true;
  readonly stdout?: Output;
  readonly stderr?: Output | 'same';
  /** A terminal for every descriptor that is not named; 80 by 24 if true. */
  readonly tty?: true | readonly [cols: number, rows: number];
  readonly umask?: number;
  readonly ignored?: readonly NodeJS.Signals[];
  readonly steps?: readonly Step[];
  /** Parts of the outputs that differ from run to run: pids, host names, times. */
  readonly mask?: readonly (readonly [RegExp, string])[];
  /** Paths of the folder that differ from run to run. */
  readonly ignoredFiles?: RegExp;
  /** Runs on an unchanged /tmp and HOME natively, too. */
  readonly fresh?: true;
  /** Strategies that the case concerns; all if absent. */
  readonly strategies?: readonly StrategyName[];
  /** 20 s if absent. */
  readonly timeoutMs?: number;
}
