import type { CutCommand, Execution } from '../../gen/clawrden/v1/warden.ts';
import { renderArgument, renderArgv } from '../../text/render-text.ts';
import type { Cell } from '../print/output.ts';

const colors = { allow: 'green', ask: 'yellow', deny: 'red' } as const;

/** `allow by read-only` */
export function decisionCell({ decision, rule }: Execution): Cell {
  const text =
    decision === '' ? 'not decided' : `${decision}${rule === '' ? '' : ` by ${renderArgument(rule)}`}`;
  const color = colors[decision as keyof typeof colors];
  return color === undefined ? text : [text, color];
}

/** How it ended, or its state. */
export function resultCell({ state, outcome, exitCode, exitSignal, reason }: Execution): Cell {
  if (state !== 'ended') return [state, 'yellow'];
  if (reason !== '') return [`${outcome}: ${renderArgument(reason)}`, 'red'];
  if (outcome === 'started') return 'started';
  if (exitSignal !== 0) return [`signal ${exitSignal}`, 'red'];
  return exitCode === 0 ? ['exit 0', 'green'] : [`exit ${exitCode}`, 'yellow'];
}

/** A command on one line, and whether that is only its beginning. */
export function commandText({
  argv,
  cut,
}: {
  readonly argv: readonly string[];
  readonly cut: CutCommand | undefined;
}): string {
  const rest = cut === undefined ? '' : ` (the beginning of ${cut.words} words, ${cut.bytes} bytes)`;
  return `${renderArgv(argv)}${rest}`;
}

/** Long enough to be unique. */
export function shortId(id: string): string {
  return id.slice(0, 18);
}

/** `2026-11-21 01:55:03` in this machine's time zone; an empty text stays empty. */
export function localTime(time: string): string {
  if (time === '') return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** `340 ms`, `12.3 s`, `4 min 5 s` between two times; empty if one is missing. */
export function between(from: string, to: string): string {
  if (from === '' || to === '') return '';
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
