import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Tool, type ToolRule, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { renderText } from '../../text/render-text.ts';
import { decisionColors } from '../print/decision-colors.ts';
import { type Cell, printJson, printLine, printTable } from '../print/output.ts';
import { allRows } from '../reach/all-rows.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

const heads = ['TOOL', 'BEST', 'OTHERWISE', 'RUNS AS', 'IMAGE', 'NETWORK', 'WORKSPACE', 'TIMEOUT'];
const described = [...heads, 'DESCRIPTION'];

export async function printTools(client: GatewayClient, { json }: GatewayOptions): Promise<void> {
  const all = await allRows(client, WardenServiceService.listTools, ({ tools }) => tools);
  if (json === true) printJson(all);
  else if (all.length === 0) printLine('no agent of yours may use a tool');
  else
    printTable(
      described,
      all.map((tool) => [...rowOf(tool), renderText(tool.description)]),
    );
}

export async function printTool(
  client: GatewayClient,
  name: string,
  { json }: GatewayOptions,
): Promise<void> {
  const { tool, rules, documentation } = await client.call(WardenServiceService.getTool, { name });
  if (tool === undefined) throw new Error('the gateway answered nothing');
  if (json === true) return printJson({ ...tool, rules, documentation });
  if (tool.description !== '') printLine(renderText(tool.description));
  printTable(heads, [rowOf(tool)]);
  printRules(rules);
  if (documentation === '') return;
  printLine('');
  for (const line of documentation.split('\n')) printLine(line);
}

function printRules(rules: readonly ToolRule[]): void {
  if (rules.length === 0) return printLine('no rule is about it');
  const rows = rules.map((rule): Cell[] => [
    ...[rule.name, decision(rule.action)],
    ...[renderText(rule.reason), renderText(rule.instead)],
  ]);
  printTable(['RULE', 'DECISION', 'REASON', 'INSTEAD'], rows);
}

function rowOf({ timeoutSeconds, best, otherwise, ...tool }: Tool): Cell[] {
  return [
    ...[tool.name, decision(best), decision(otherwise), placeOf(tool)],
    ...[tool.image, tool.network, tool.workspace],
    timeoutSeconds === 0 ? 'none' : `${timeoutSeconds}s`,
  ];
}

function placeOf({ strategy, isolation }: Pick<Tool, 'strategy' | 'isolation'>): string {
  return isolation === 'session' ? 'ghost (session)' : strategy;
}

function decision(action: string): Cell {
  return [action, decisionColors[action as keyof typeof decisionColors] ?? 'grey'];
}
