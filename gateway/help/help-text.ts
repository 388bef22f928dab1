import { escapeUnprintable } from '../../src/text/render-text.ts';
import { fetchUsage } from '../fetch/fetch-order.ts';
import type { ToolView } from '../ports/tool-view.ts';
import type { PastRefusal, WhatAgentMay } from './what-agent-may.ts';

const longestDocumentation = 128 * 1024;
const unprintable = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/** All tools, one line each. Printable, whatever an agent or a person wrote. */
export function listText({ agent, tools, refusals }: WhatAgentMay): string {
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  const head =
    tools.length === 0
      ? `Agent ${agent} may run no tool: ask who keeps the policy.`
      : `Agent ${agent} may run these tools. Each command is judged by itself; clawrden-help TOOL says more.`;
  const lines = tools.map((tool) => `  ${tool.name.padEnd(width)}  ${shortly(tool)}`);
  return `${[head, ...lines, ...refusalLines(refusals)].join('\n')}\n`;
}

/** One tool with its rules, refusals and documentation. */
export function toolText(tool: ToolView, { refusals }: WhatAgentMay): string {
  const own = refusals.filter((refusal) => refusal.tool === tool.name);
  const lines = [
    `${tool.name}: ${shortly(tool)}`,
    `  runs ${placeOf(tool)}`,
    ...tool.rules.map(ruleLine),
    `  what no rule is about: ${words[tool.otherwise]}`,
    ...refusalLines(own),
  ];
  return `${lines.join('\n')}\n${documentationOf(tool)}`;
}

const words = { allow: 'runs', ask: 'asks a person first', deny: 'is refused' } as const;
const rest = { allow: '', ask: 'some ask a person first', deny: 'some are refused' } as const;

/** What becomes of its commands, and what it is. */
export function shortly({ may: [best = 'deny', ...others], description }: ToolView): string {
  const what = [words[best], ...others.map((action) => rest[action])].join(', ');
  return description === '' ? what : `${what}: ${escapeUnprintable(description)}`;
}

/** A help page is no list of a thousand names. */
const mostReaches = 50;

function placeOf({ strategy, image, isolation, network, reaches, workspace, timeoutMs }: ToolView): string {
  if (strategy === 'mirror' || strategy === 'passthrough') return 'in your own container';
  const time = timeoutMs === 0 ? 'no time limit' : `at most ${timeoutMs / 1000} s`;
  const only = reaches.length === 0 ? '' : ` (${reaches.slice(0, mostReaches).join(', ')})`;
  if (strategy === 'fetch')
    return `nowhere: the gateway gets a page; network ${network}${only}, ${time}; ${fetchUsage}`;
  const place = isolation === 'session' ? 'the container that you keep, of' : 'a fresh container of';
  return `in ${place} ${image}; network ${network}${only}, workspace ${workspace}, ${time}`;
}

function ruleLine({ name, action, reason, instead }: ToolView['rules'][number]): string {
  const advice = instead === '' ? '' : `; ${instead}`;
  return escapeUnprintable(`  rule ${name} ${ruled[action]}: ${reason}${advice}`);
}

const ruled = { allow: 'allows', ask: 'asks', deny: 'refuses' } as const;

function refusalLines(refusals: readonly PastRefusal[]): string[] {
  if (refusals.length === 0) return [];
  const lines = refusals.flatMap(({ at, command, code, text }) => [
    `  ${at}  ${command}`,
    `    ${code}: ${text}`,
  ]);
  return ['Refused lately:', ...lines];
}

/** A person wrote it in any language; what could control a terminal becomes an escape. */
export function documentationOf({ documentation }: ToolView): string {
  if (documentation === '') return '';
  const kept = documentation.slice(0, longestDocumentation).replaceAll(unprintable, escapeUnprintable);
  const cut = documentation.length > longestDocumentation ? '\n[the rest is left out]' : '';
  return `\n${kept.trimEnd()}${cut}\n`;
}
