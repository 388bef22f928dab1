import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { nearestHint } from '../../src/config/nearest.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import { shortly, toolText } from '../help/help-text.ts';
import { pastRefusals } from '../help/what-agent-may.ts';
import { answered } from './answered.ts';
import { namesText, programsOf } from './programs.ts';
import type { ServerParts } from './server-parts.ts';

const isLook = { readOnlyHint: true, openWorldHint: false } as const;
const nothing = z.strictObject({});
const ofProgram = z.strictObject({ program: z.string().max(256).describe('a name of list_programs') });

/** What an agent may run, and what is known of it. */
export function addLookTools(server: McpServer, parts: ServerParts): void {
  const { caller, warden } = parts;
  server.registerTool(
    'list_programs',
    {
      description: 'The programs that you may run, one a line, and whether a person is asked first.',
      ...{ inputSchema: nothing, annotations: isLook },
    },
    () =>
      answered('list_programs', parts, async () => {
        const programs = programsOf(warden);
        const lines = programs.map((program) => `${program.name}: ${shortly(program)}`);
        return { text: [lines.join('\n') || namesText(programs)] };
      }),
  );
  server.registerTool(
    'help',
    {
      description: 'What a program is for, which of its commands run, ask a person or are refused, and why.',
      ...{ inputSchema: ofProgram, annotations: isLook },
    },
    ({ program }) =>
      answered('help', parts, async () => {
        const programs = programsOf(warden);
        const found = programs.find(({ name }) => name === program);
        if (found === undefined) return { text: [unknownText(program, programs)], isError: true };
        const refusals = await pastRefusals(caller.name, { page: warden.history });
        return { text: [toolText(found, { agent: caller.name, tools: [], refusals })] };
      }),
  );
}

function unknownText(program: string, programs: ReturnType<typeof programsOf>): string {
  const names = programs.map(({ name }) => name);
  const hint = nearestHint(program, names, 'program');
  return `There is no program ${renderArgument(program.slice(0, 64))} that you may run${hint}. ${namesText(programs)}`;
}
