import type { Case, Step } from './case.ts';
import type { Record } from './record.ts';

/**
 * Why a case proves nothing: its command did not run natively as its steps say, so both sides may be alike only
 * because neither got that far.
 */
export function shortfalls({ steps = [], tty, stdout, stderr }: Case, native: Record): string[] {
  const usual = tty === undefined ? 'pipe' : 'tty';
  const out = (stdout ?? usual) === 'tty' ? native.terminal : native.stdout;
  const err = (stderr ?? usual) === 'tty' ? native.terminal : native.stderr;
  const stops = steps.filter((step) => 'untilStopped' in step).length;
  return [
    ...native.problems,
    ...unsaid(
      out,
      steps.flatMap((step) => ('until' in step ? [step.until] : [])),
    ),
    ...unsaid(
      err,
      steps.flatMap((step) => ('untilError' in step ? [step.untilError] : [])),
    ),
    ...(native.events.split('stopped by').length <= stops ? ['it did not stop so often'] : []),
    ...undone(steps, native.stepsLeft),
  ];
}

/** Steps that did not happen. Input is not one of them: a command need not read all its input. */
function undone(steps: readonly Step[], left: number): string[] {
  return steps
    .slice(steps.length - Math.min(left, steps.length))
    .filter((step) => 'signal' in step || 'resize' in step || 'foreground' in step || 'close' in step)
    .map((step) => `it ended before ${JSON.stringify(step)}`);
}

/** Awaited texts that do not come, each after the one before. */
function unsaid(said: Buffer, awaited: readonly string[]): string[] {
  let at = 0;
  return awaited.flatMap((text) => {
    const found = said.indexOf(text, at);
    if (found < 0) return [`it never said ${JSON.stringify(text)}`];
    at = found + Buffer.byteLength(text);
    return [];
  });
}
