import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { abortable, deadline } from '../../src/abort.ts';
import { drained } from '../../src/drained.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { wayOutHost, wayOutPort } from '../../src/egress/route.ts';
import { toClawrdenError } from '../../src/errors.ts';
import { bodyBytes } from '../connections/open-requests.ts';
import { pumpResponse } from '../connections/pump-response.ts';
import type { McpDoor } from '../ports/mcp-door.ts';
import { agentPrincipal, allAgents } from '../ports/principal.ts';
import type { Asked } from './read-request.ts';
import type { Visit } from './visit.ts';

const path = '/mcp';
const stalledMs = 30_000;
/** As over HTTP. */
const bodyMs = 30_000;

export function isForMcp({ request: { url = '' } }: Asked): boolean {
  return url.split('?', 1)[0] === path;
}

/** The agent's own door to MCP. Who asks is the agent itself: its relay has attested whose way out this is. */
export async function serveOwnMcp(
  asked: Asked & { is: 'request' },
  visit: Visit,
  idleMs: number,
): Promise<void> {
  const { request } = asked;
  const { way, facts } = visit;
  facts.to = path;
  const door = way.mcp?.();
  if (door === undefined) return await answer(asked, visit, noDoor());
  check(asked, visit);
  const leave = enter(door, way.agent, request);
  try {
    const bytes = await readWithin(Math.min(idleMs, bodyMs), request, visit);
    await serveBody(asked, visit, await bodyOf(bytes, door, visit));
  } finally {
    leave();
  }
}

/** Its body counts with those that the agent sends to the gateway's HTTP listener. */
function enter(door: McpDoor, agent: string, request: IncomingMessage): () => void {
  try {
    return door.enter(agentPrincipal(agent), request);
  } catch (error) {
    throw new EgressError('limit', toClawrdenError(error).message);
  }
}

async function serveBody(asked: Asked & { is: 'request' }, visit: Visit, body: unknown): Promise<void> {
  const { request, response } = asked;
  const { way, signal } = visit;
  // The body and its turn took their time, and the agent may have lost its door meanwhile.
  const mcp = way.mcp?.();
  if (mcp === undefined) return await answer(asked, visit, noDoor());
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const call = {
    caller: { kind: 'agent', name: way.agent, role: 'agent', scope: allAgents } as const,
    request: new Request(`http://clawrden${path}`, { method: 'POST', headers, signal }),
    body,
    drained: () => (response.writableNeedDrain ? drained(response) : undefined),
  };
  await answer(asked, visit, await mcp.serve(call));
}

function noDoor(): Response {
  return new Response('there is no MCP here\n', { status: 404 });
}

/** What a page in a browser of the agent's, or another user of its container, could send. */
function check({ request: { method, headers } }: Asked, { isOfUser }: Visit): void {
  const denied = (what: string) => new EgressError('denied', `MCP ${what}`);
  if (!isOfUser) throw denied("is for the agent's own user only");
  if (headers.origin !== undefined) throw denied('is not for pages: leave Origin out');
  if (headers.host !== `${wayOutHost}:${wayOutPort}`)
    throw denied('is at 127.0.0.1:3128 and at no other host');
  if (method !== 'POST') throw denied('is asked by POST');
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw denied('takes Content-Type: application/json');
}

async function readWithin(ms: number, request: AsyncIterable<Buffer>, visit: Visit): Promise<Buffer> {
  const late = () => new EgressError('late', `the message did not come within ${ms / 1000} s`);
  using until = deadline(ms, late, visit.signal);
  return await abortable(readAll(request, visit.spend), until.signal);
}

async function readAll(request: AsyncIterable<Buffer>, spend: Visit['spend']): Promise<Buffer> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    spend('up', chunk.length);
    kept.push(chunk);
    size += chunk.length;
    if (size > bodyBytes) throw new EgressError('limit', `a message has ${bodyBytes} bytes at most`);
  }
  return Buffer.concat(kept);
}

/** In its turn among those that the agent sends to the gateway's HTTP listener. */
async function bodyOf(bytes: Buffer, door: McpDoor, { way, signal }: Visit): Promise<unknown> {
  try {
    return await door.read(agentPrincipal(way.agent), bytes, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new EgressError('invalid', toClawrdenError(error).message);
  }
}

const shown = ['content-type', 'mcp-session-id', 'x-accel-buffering'];

async function answer(
  { response }: Asked & { is: 'request' },
  { facts, signal, spend }: Visit,
  said: Response,
): Promise<void> {
  facts.isAnswered = true;
  const headers = [...said.headers].filter(([name]) => shown.includes(name));
  response.writeHead(said.status, {
    ...Object.fromEntries(headers),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.flushHeaders();
  await pumpResponse(said, response, { gone: signal, stalledMs, spend: (bytes) => spend('down', bytes) });
  await finished(response, { signal }).catch(() => {});
}
