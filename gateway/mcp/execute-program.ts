import type { ServerContext } from '@modelcontextprotocol/server';
import { onAbort } from '../../src/abort.ts';
import { wholeRequest } from '../execution/whole-request.ts';
import type { Answer } from './answer.ts';
import { cancelOwn } from './cancel-own.ts';
import { resultAnswer } from './result-text.ts';
import type { ServerParts } from './server-parts.ts';
import type { Wanted } from './shapes.ts';
import { declaresTasks } from './tasks.ts';
import { waitFor } from './wait-for.ts';

/** Starts it detached, and looks on: it lives longer than a client that waits for a minute. */
export async function executeProgram(
  { program: tool, args, cwd, stdin, reason, wait }: Wanted,
  parts: ServerParts,
  context: ServerContext,
): Promise<Answer> {
  const { caller, detached, openCalls, session, isModern, faults } = parts;
  const input = stdin === undefined ? undefined : Buffer.from(stdin, 'utf8');
  const request = wholeRequest({ agent: caller.name, tool, args, cwd, reason }, input);
  const { executionId: id } = request;
  const canceled = new AbortController();
  const cancel = () => canceled.abort();
  using _call = openCalls.add(session, context.mcpReq.id, cancel);
  // A client of 2025 may leave and come back; one of 2026 cancels by leaving.
  using _gone = isModern ? onAbort(context.mcpReq.signal, cancel) : undefined;
  const told = await detached.start(caller, request, input);
  if (told !== 'begun') return resultAnswer(id, told, parts.warden);
  using _ = onAbort(canceled.signal, () => {
    void cancelOwn(id, parts).catch((error: unknown) => faults.report('MCP cancel', error));
  });
  // Who names a time wants to hear then what is so far, and not only the end.
  const asTask = isModern && wait === undefined && declaresTasks(context);
  return await waitFor(id, parts, context, { seconds: wait, endsAtQuestion: true, asTask });
}
