import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { toClawrdenError } from '../../src/errors.ts';
import { whyNot } from '../principals/call-rules.ts';
import { unwritten } from '../store/unwritten.ts';
import { cancelOwn } from './cancel-own.ts';
import type { ServerParts } from './server-parts.ts';
import { type DetailedTask, taskOf } from './task-state.ts';
import { unknownId } from './unknown-id.ts';

const name = 'io.modelcontextprotocol/tasks';
const extensions = { [name]: {} };
const declaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.object({ [name]: z.object({}) }) }),
});
const ofTask = z.object({ taskId: z.string().max(64) });

/** The tasks extension of 2026-07-28: an execution that outlives its call, looked at and canceled by its id. */
export function addTasks({ server }: McpServer, parts: ServerParts): void {
  server.registerCapabilities({ extensions });
  const add = (
    method: string,
    call: string,
    answer: (task: DetailedTask) => Promise<Record<string, unknown>>,
  ) => {
    server.setRequestHandler(method, { params: ofTask }, async ({ taskId }, context) => {
      const refused = whyNot(parts.caller, `POST /mcp ${call}`);
      if (refused !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, refused);
      if (!declaresTasks(context))
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions } });
      return await asProtocolErrors(method, parts, async () => {
        const task = await taskOf(taskId, parts);
        if (task === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownId(taskId).text.join(' '));
        return await answer(task);
      });
    });
  };
  add('tasks/get', 'await_execution', async (task) => ({ ...task }));
  add('tasks/cancel', 'cancel_execution', async ({ taskId, status }) => {
    if (status === 'working') await cancelOwn(taskId, parts);
    return {};
  });
  // Nothing is ever asked of a client, so whatever it answers is to no question.
  add('tasks/update', 'await_execution', async () => ({}));
}

/** In this request; a client says it with each. */
export function declaresTasks({ mcpReq }: ServerContext): boolean {
  return declaration.safeParse(mcpReq.envelope).success;
}

async function asProtocolErrors<T>(
  method: string,
  { faults }: ServerParts,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { code, message } = toClawrdenError(unwritten(error));
    if (code === 'internal') faults.report(`MCP ${method}`, error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${message} (${code})`);
  }
}
