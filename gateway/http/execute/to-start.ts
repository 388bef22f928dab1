import type { Routes } from '../../../src/http-api/routes.ts';
import { traceOf } from '../../execution/trace-of.ts';
import { wholeRequest } from '../../execution/whole-request.ts';
import type { StartRequest } from '../../ports/channel.ts';
import type { Call } from '../add-routes.ts';
import { invalid } from '../read-body.ts';

export interface Wanted {
  readonly start: StartRequest;
  readonly input: Uint8Array | undefined;
}

/** A request in the gateway's words. Throws `request-invalid`. */
export function toStart({ body, request: { headers } }: Call<Routes['runExecution']>): Wanted {
  const input = body.stdin === undefined ? undefined : inputOf(body.stdin, body.stdinEncoding);
  if (body.stdin === undefined && body.stdinEncoding !== undefined)
    throw invalid('the body has stdinEncoding, and no stdin');
  return { input, start: { ...wholeRequest(body, input), ...traceOf(headers['traceparent']) } };
}

function inputOf(text: string, encoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'base64');
  // Node's decoder skips what is no base64.
  if (bytes.toString('base64') !== text) throw invalid('stdin is no base64 with its padding');
  return bytes;
}
