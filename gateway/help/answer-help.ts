import { nearestHint } from '../../src/config/nearest.ts';
import { helpToolName } from '../../src/policy/help-tool.ts';
import { asciiJson } from '../../src/text/ascii-json.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import { listText, toolText } from './help-text.ts';
import { type HelpParts, type WhatAgentMay, whatAgentMay } from './what-agent-may.ts';

export interface HelpAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** What `clawrden-help ARGS` of an agent prints, and how it exits. */
export type AnswerHelp = (agent: string, args: readonly string[]) => Promise<HelpAnswer>;

const usage = `usage: ${helpToolName} [--json] [TOOL]\n`;

export function createAnswerHelp(parts: HelpParts): AnswerHelp {
  return async (agent, args) => {
    const json = args.includes('--json');
    const rest = args.filter((arg) => arg !== '--json');
    const [name] = rest;
    if (name === '--help' || name === '-h') return printed(usage);
    if (rest.length > 1 || name?.startsWith('-') === true) return { stdout: '', stderr: usage, code: 2 };
    const may = await whatAgentMay(agent, parts);
    return name === undefined ? ofAll(may, json) : ofOne(name, may, json);
  };
}

function ofAll(may: WhatAgentMay, json: boolean): HelpAnswer {
  if (!json) return printed(listText(may));
  const tools = may.tools.map(({ name, may: to, description }) => ({ name, may: to, description }));
  return printed(`${asciiJson({ ...may, tools })}\n`);
}

function ofOne(name: string, may: WhatAgentMay, json: boolean): HelpAnswer {
  const tool = may.tools.find((each) => each.name === name);
  if (tool !== undefined) return printed(json ? `${asciiJson(tool)}\n` : toolText(tool, may));
  const hint = nearestHint(
    name,
    may.tools.map((each) => each.name),
    'tool',
  );
  const why = `there is no tool ${renderArgument(name.slice(0, 64))} that you may run${hint}`;
  return { stdout: '', stderr: `${helpToolName}: ${why}; ${helpToolName} lists them\n`, code: 1 };
}

function printed(stdout: string): HelpAnswer {
  return { stdout, stderr: '', code: 0 };
}
