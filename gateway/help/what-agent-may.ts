import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { escapeUnprintable, renderArgv } from '../../src/text/render-text.ts';
import { toolViews } from '../judging/tool-views.ts';
import type { HistoryFilter, HistoryRow } from '../ports/execution-record.ts';
import type { ToolView } from '../ports/tool-view.ts';

/** A command of the agent that was refused. Texts are printable ASCII, and cut. */
export interface PastRefusal {
  /** ISO 8601. */
  readonly at: string;
  readonly tool: string;
  readonly command: string;
  readonly code: string;
  /** The reason, the rule and what to do instead. */
  readonly text: string;
}

export interface WhatAgentMay {
  readonly agent: string;
  readonly tools: readonly ToolView[];
  /** The latest first. */
  readonly refusals: readonly PastRefusal[];
}

export interface HelpParts {
  readonly policy: () => Policy;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly history: { readonly page: (filter: HistoryFilter) => AsyncIterable<HistoryRow> };
}

const mostRefusals = 5;
const longest = 400;
/** A command that a person refused is among those that were asked about. */
const looksThrough = 20;

/** Of this agent and of no other. */
export async function whatAgentMay(
  agent: string,
  { policy: inForce, agents, history }: HelpParts,
): Promise<WhatAgentMay> {
  const refusals = await pastRefusals(agent, history);
  return { agent, tools: toolViews(inForce(), agents(), [agent]), refusals };
}

/** The latest first. */
export async function pastRefusals(agent: string, history: HelpParts['history']): Promise<PastRefusal[]> {
  const of = { agent, since: undefined };
  const [denied, asked] = await Promise.all([
    Array.fromAsync(history.page({ ...of, decision: 'deny', limit: mostRefusals })),
    Array.fromAsync(history.page({ ...of, decision: 'ask', limit: looksThrough })),
  ]);
  return [...denied, ...asked]
    .filter(({ record }) => record.outcome === 'denied')
    .toSorted((one, other) => other.receivedAt - one.receivedAt)
    .slice(0, mostRefusals)
    .map(({ record }) => toRefusal(record));
}

function toRefusal({ receivedAt, argv, reason: code, text }: HistoryRow['record']): PastRefusal {
  return {
    at: new Date(receivedAt).toISOString(),
    tool: argv[0] ?? '',
    command: cut(renderArgv(argv)),
    code,
    text: cut(escapeUnprintable(text)),
  };
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}...`;
}
