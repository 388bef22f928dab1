import { cutBack } from '../../src/text/cut-back.ts';
import type { ExecutionResult, FirstOutput } from '../ports/detached.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Answer } from './answer.ts';
import { failureText } from './failure-text.ts';
import { keptOutput, lengthText } from './kept-output.ts';

/** Of both streams together: more than a model wants to read at once. */
const mostBytes = 20_000;

/** How it ended, and the beginning and the end of what it wrote. */
export function resultAnswer(
  id: string,
  { outcome, host, wasStarted, ...output }: ExecutionResult,
  warden: Pick<WardenApi, 'tools'>,
): Answer {
  const where = host === '' ? [] : [`host: ${host}`];
  const streams = (['stdout', 'stderr'] as const).flatMap((name) => {
    const other = output[name === 'stdout' ? 'stderr' : 'stdout'].bytes.length;
    const room = Math.max(mostBytes / 2, mostBytes - other);
    return streamTexts(id, name, output[name], room);
  });
  const head = (lines: readonly string[]) => [...lines, ...where].join('\n');
  if ('reason' in outcome) {
    const { reason, text } = outcome;
    const state = wasStarted ? 'stopped' : 'refused';
    const lines = [`state: ${state}`, `id: ${id}`, failureText(reason, text, warden)];
    return { text: [head(lines), ...streams], isError: true };
  }
  const end = outcome.kind !== 'started' && outcome.signal !== 0 ? `signal: ${outcome.signal}` : '';
  const code = outcome.kind === 'exited' ? `exit code: ${outcome.code}` : 'exit code: 0';
  return { text: [head(['state: ended', `id: ${id}`, end || code]), ...streams] };
}

/** Each text of the program's own follows one of ours that says what it is. */
function streamTexts(id: string, name: string, output: FirstOutput, room: number): string[] {
  const kept = keptOutput(output);
  const { head, tail } = kept;
  if (head.length === 0) return output.truncated ? [`${name}: it was not kept`] : [];
  const length = lengthText(kept);
  if (tail === undefined && head.length <= room) return [`${name}, ${length}:`, head.toString('utf8')];
  const { from, bytes } = tail ?? { from: 0, bytes: head };
  const headEnd = cutBack(head, room / 2);
  const tailAt = cutBack(bytes, bytes.length - room / 2);
  const gap = tail && `; bytes ${head.length} to ${from} are not kept`;
  const left = `bytes ${headEnd} to ${from + tailAt} are left out; read_output {"id": "${id}", "stream": "${name}", "from": ${headEnd}} has them${gap ?? ''}`;
  return [
    `${name}, ${length}, its beginning:`,
    head.toString('utf8', 0, headEnd),
    `${left}. The end of ${name}:`,
    bytes.toString('utf8', tailAt),
  ];
}
