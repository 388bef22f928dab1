import { Command, InvalidArgumentError } from 'commander';
import { networkName } from '../../policy/network-name.ts';
import type { DecidedTool } from '../../policy/policy.ts';
import { consentText, oneApprover } from '../../policy/rules/consent.ts';
import type { Explanation } from '../../policy/rules/explain.ts';
import { quoteText } from '../../text/render-text.ts';
import { printJson } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import type { ExplainOptions } from './explain-by-gateway.ts';
import { printExplanation, ruleText } from './print-explanation.ts';
import { readPolicy } from './read-policy.ts';

/** Exit status 0 for every answer, also for a deny. */
export function policyExplainCommand(): Command {
  return new Command('explain')
    .description('say what would happen to a command, and why, without running it')
    .usage('[options] -- TOOL [ARG ...]')
    .argument('<tool>', 'the tool, as the agent would type it')
    .argument('[args...]', 'its arguments')
    .option('--policy <file>', 'the policy to ask (default: the one that the gateway has in force)')
    .option(
      '--tool-files <folder>',
      'the tool files beside --policy, as tool-files of gateway.yaml names them',
    )
    .option('--agent <name>', 'the agent that asks', '')
    .option('--uid <number>', "the agent's user (default: its first)", parseUid)
    .option('--cwd <directory>', 'where it would start (default: the workspace)')
    .option('--json', 'print one JSON object')
    .option('--context <file>', 'where the gateway is and who you are')
    .passThroughOptions()
    .action((tool: string, args: string[], _options, command: Command) =>
      explain(tool, args, command.optsWithGlobals()),
    );
}

function parseUid(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

const anyUid = 1000;

async function explain(tool: string, args: readonly string[], options: ExplainOptions): Promise<void> {
  const { policy: file, toolFiles, agent, uid = anyUid, cwd } = options;
  if (file === undefined) {
    const { explainByGateway } = await import('./explain-by-gateway.ts');
    return explainByGateway(tool, args, options);
  }
  const result = await readPolicy(file, toolFiles);
  if ('problems' in result) {
    throw new CliError('policy explain', `${file} is no policy`, `see clawrden policy check ${file}`);
  }
  const { explainCommand } = await import('../../policy/rules/explain.ts');
  const { tellOrigin } = await import('../../policy/arguments/tools/known-tools.ts');
  const facts = { agent, tool, args, uid, gid: uid, cwd: cwd ?? result.policy.workspace };
  const explanation = explainCommand(result.policy, facts);
  if (options.json === true) printJson(explanation);
  else print(explanation, tellOrigin(explanation.known));
}

function print(explanation: Explanation, knownFrom: string): void {
  const { decision, line, argv, cwd, timeoutMs, approvalExpiresMs, policyHash } = explanation;
  const { action, rule, reason, tool, code } = decision;
  printExplanation(action, argv, [
    ['rule', ruleText(rule, line, reason)],
    ['code', code],
    ['runs', tool && describeTool(tool)],
    ['timeout', timeoutMs === undefined ? undefined : duration(timeoutMs)],
    ['question', action === 'ask' ? `refused after ${duration(approvalExpiresMs)}` : undefined],
    ['needs', action === 'ask' ? consentText(decision.consent ?? oneApprover) : undefined],
    ['arguments', knownFrom === '' ? undefined : quoteText(knownFrom)],
    ['cwd', quoteText(cwd)],
    ['policy', policyHash],
  ]);
}

function describeTool(tool: DecidedTool): string {
  const { strategy, image, memoryBytes, cpus, pids, stdin, isolation } = tool;
  if (strategy === 'passthrough') return 'by the agent itself, in its own container (passthrough)';
  if (strategy === 'fetch') return `nothing: the gateway gets a page (fetch), ${networkOf(tool)}`;
  if (strategy === 'help') return 'nothing: the gateway answers (help)';
  if (strategy === 'mirror') return "in the agent's own container, recorded (mirror)";
  const limits = `${Math.round(memoryBytes / 1024 ** 2)} MiB, cpus ${cpus}, processes ${pids}`;
  const place =
    isolation === 'session'
      ? `in the agent's session of ${image} (session)`
      : `in a fresh container of ${image} (ghost)`;
  return `${place}, ${networkOf(tool)}, ${limits}, stdin ${stdin}`;
}

function networkOf(tool: DecidedTool): string {
  const { reach } = tool;
  if (reach.network === '') return `network ${networkName(tool)}`;
  return `network ${reach.network} (${reach.allow.map(({ to }) => to).join(', ')})`;
}

function duration(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
