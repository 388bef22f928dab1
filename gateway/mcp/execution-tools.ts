import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { principalName } from '../ports/principal.ts';
import { answered } from './answered.ts';
import { cancelOwn } from './cancel-own.ts';
import { executeProgram } from './execute-program.ts';
import { readOutput } from './read-output.ts';
import type { ServerParts } from './server-parts.ts';
import { shapes } from './shapes.ts';
import { waitFor } from './wait-for.ts';

/** Programs that run, and what they wrote. */
export function addExecutionTools(server: McpServer, parts: ServerParts): void {
  const own = principalName(parts.caller);
  server.registerTool(
    'execute',
    {
      description:
        'Runs a program, and answers with how it ended and what it wrote. What takes longer goes on: await_execution waits for it. If a person is asked first, you are told at once.',
      inputSchema: shapes.execute,
    },
    (wanted, context) => answered('execute', parts, () => executeProgram(wanted, parts, context)),
  );
  server.registerTool(
    'await_execution',
    {
      description: 'Waits up to 45 s for the end of what execute started.',
      ...{ inputSchema: shapes.ofId, annotations: { readOnlyHint: true } },
    },
    (wanted, context: ServerContext) =>
      answered('await_execution', parts, () => waitFor(wanted.id, parts, context)),
  );
  server.registerTool(
    'cancel_execution',
    { description: 'Ends what execute started.', inputSchema: shapes.ofId },
    (wanted) => answered('cancel_execution', parts, () => cancelOwn(wanted.id, parts)),
  );
  server.registerTool(
    'read_output',
    {
      description:
        'A part of what a program wrote: for an hour after its end, of each stream the first MiB and the last 64 KiB.',
      ...{ inputSchema: shapes.read, annotations: { readOnlyHint: true } },
    },
    (wanted) => answered('read_output', parts, () => readOutput(wanted, own, parts)),
  );
}
