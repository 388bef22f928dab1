import { newExecutionId } from '../../../src/execution-id.ts';
import type { ExecutionRequest } from '../../../src/http-api/executions.ts';
import type { StartRequest } from '../../ports/channel.ts';
import { invalid } from '../read-body.ts';

const umask = 0o022;

export interface Wanted {
  readonly start: StartRequest;
  readonly input: Uint8Array | undefined;
}

/** A body in the gateway's words. Throws `request-invalid`. */
export function toStart(body: ExecutionRequest): Wanted {
  const input = body.stdin === undefined ? undefined : inputOf(body.stdin, body.stdinEncoding);
  if (body.stdin === undefined && body.stdinEncoding !== undefined)
    throw invalid('the body has stdinEncoding, and no stdin');
  const said = body.reason === undefined ? {} : { CLAWRDEN_REASON: body.reason };
  const command = {
    tool: body.tool,
    args: body.args,
    cwd: body.cwd ?? '',
    env: Object.entries({ ...body.env, ...said }).map(([name, value]) => `${name}=${value}`),
    umask,
    stdio: [input === undefined ? 'null' : 'pipe', 'pipe', 'pipe'] as const,
    ignored: [],
    version: 1,
  };
  const { id: executionId = newExecutionId(), agent, hostLabels = {} } = body;
  return { input, start: { executionId, agent, command, hostLabels } };
}

function inputOf(text: string, encoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'base64');
  // Node's decoder skips what is no base64.
  if (bytes.toString('base64') !== text) throw invalid('stdin is no base64 with its padding');
  return bytes;
}
