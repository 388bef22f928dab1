import { outputAtMost, type RecordedOutputView } from '../../src/http-api/follow.ts';
import type { Routes } from '../../src/http-api/routes.ts';
import type { Excerpt } from '../ports/recorded-output.ts';
import type { Call } from './add-routes.ts';
import { encoded } from './execute/text-chunks.ts';
import { HttpRefused } from './problem.ts';

/** A part of what was recorded of one stream. */
export async function outputOf({
  params: { id },
  query: { stream = 'stdout', from = '0', max = String(outputAtMost) },
  seen: { warden },
}: Call<Routes['executionOutput']>): Promise<RecordedOutputView> {
  const record = await warden.execution(id, '');
  const output = record && (await warden.output(record.caller, record.id));
  if (output === undefined) throw new HttpRefused(404, `no output of an execution ${id} was recorded`);
  const part = partOf(output[stream], Number(from), Number(max));
  const next = part.from + part.bytes.length;
  return { id, stream, total: part.total, from: part.from, ...encoded(part.bytes), next };
}

/** What is between head and tail was not recorded: a part ends before it, and one from within it begins behind it. */
function partOf({ head, dropped, tail }: Excerpt, from: number, most: number) {
  const [tailAt, total] = [head.length + dropped, head.length + dropped + tail.length];
  if (from < head.length && dropped > 0) return { total, from, bytes: head.subarray(from, from + most) };
  if (dropped === 0) {
    const all = Buffer.concat([head, tail]);
    return { total, from: Math.min(from, total), bytes: all.subarray(from, from + most) };
  }
  const at = Math.min(Math.max(from, tailAt), total);
  return { total, from: at, bytes: tail.subarray(at - tailAt, at - tailAt + most) };
}
