import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from './config-error.ts';
import { itemLines, withItem, withoutItem, writtenItem } from './edit-yaml-list.ts';
import { parseGatewayConfig } from './load-gateway-config.ts';
import { nearestHint } from './nearest.ts';
import { readYaml } from './read-yaml.ts';

/** An agent as a person would write it into gateway.yaml. */
export interface WrittenAgent {
  readonly name: string;
  readonly relay: string;
  readonly users: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly workspace?: { readonly volume: string } | { readonly bind: string };
}

export interface Edit {
  /** The whole file as it should be; absent if its form is unknown here, and a person must edit it. */
  readonly text?: string;
  /** What is added or taken out, as it stands in the file. */
  readonly lines: string;
  /** What a person does with the lines. */
  readonly toDo: string;
}

/** Throws one ConfigError with every problem of `file` as it is, or as it would be. */
export function addAgent(text: string, file: string, agent: WrittenAgent): Edit {
  parseGatewayConfig(text, file);
  const before = plainOf(text, file);
  const edit = { lines: itemLines([agent], 2), toDo: 'put these lines under agents:' };
  const wanted = { ...before, agents: [...(before.agents ?? []), agent] };
  return checked(edit, withItem(text, 'agents', agent), wanted, file);
}

/** Takes out what `warm` says of it, too: without the agent that would be a fault. */
export function removeAgent(text: string, file: string, name: string): Edit {
  const { agents, warm } = parseGatewayConfig(text, file);
  const index = agents.findIndex((agent) => agent.name === name);
  if (index === -1) throw new ConfigError([`${file}: ${unknown(name, agents)}`]);
  const { text: lines, line } = writtenItem(text, 'agents', index);
  const edit = { lines, toDo: `take these lines out, from line ${line} on, and what warm says of ${name}` };
  const kept = warm.flatMap(({ agent }, at) => (agent === name ? [] : [at]));
  const before = plainOf(text, file);
  const wanted = {
    ...before,
    ...(before.agents && { agents: before.agents.toSpliced(index, 1) }),
    ...(before.warm && { warm: kept.map((at) => before.warm?.[at]) }),
  };
  const gone = warm.flatMap(({ agent }, at) => (agent === name ? [at] : [])).toReversed();
  const edited = gone.reduce<string | undefined>(
    (left, at) => left && withoutItem(left, 'warm', at),
    withoutItem(text, 'agents', index),
  );
  return checked(edit, edited, wanted, file);
}

/** What was edited is read again: it must say what is wanted and nothing else, and be right. */
function checked(edit: Edit, text: string | undefined, wanted: object, file: string): Edit {
  if (text === undefined || !isDeepStrictEqual(plainOf(text, file), wanted)) return edit;
  parseGatewayConfig(text, file);
  return { ...edit, text };
}

interface PlainFile {
  readonly agents?: readonly unknown[];
  readonly warm?: readonly unknown[];
}

function plainOf(text: string, file: string): PlainFile {
  const yaml = readYaml(text, file);
  return 'problems' in yaml ? {} : (yaml.source.value as PlainFile);
}

function unknown(name: string, agents: readonly { readonly name: string }[]): string {
  const names = agents.map((agent) => agent.name);
  return `there is no agent ${JSON.stringify(name)}${nearestHint(name, names, 'agent')}`;
}
