import type { Operand, Plan, PlanMount, ScriptOperand } from '../../plan.ts';
import { quoteText, renderArgument } from '../../text/render-text.ts';
import type { Fact } from './output.ts';
import { exactSize } from './size-text.ts';

/**
 * Everything in a plan, as in the canonical text that was hashed. Text that an agent could have written is in quotes;
 * text without quotes is ours.
 */
export function planFacts(canonical: string): Fact[] {
  const plan = JSON.parse(canonical) as Plan;
  return [
    ...listed('argv', plan.argv.map(quoteText)),
    ...scriptFacts(plan),
    ['cwd', quoteText(plan.cwd)],
    ['user', `${plan.uid}:${plan.gid}, umask ${plan.umask.toString(8).padStart(3, '0')}`],
    ['runs', where(plan)],
    ['network', renderArgument(plan.network)],
    ['workspace', plan.workspace === '' ? 'none' : quoteText(plan.workspace)],
    ...listed('mounts', plan.mounts.map(describeMount)),
    ...environment(plan),
    ['limits', limits(plan)],
    ['stdin', plan.stdin],
    ...(plan.liveMs === undefined ? [] : [['live', `every ${plan.liveMs / 1000} s`] as const]),
    ...(plan.record === undefined ? [] : [['record', "its output's head and tail"] as const]),
    ['policy', renderArgument(plan.policyHash)],
  ];
}

function describeMount({ kind, source, target, readOnly }: PlanMount): string {
  return `${kind} ${quoteText(source)} at ${quoteText(target)}${readOnly === true ? ', read only' : ''}`;
}

/** What the command runs besides its tool, as it was found. */
export function operandFacts(name: string, operands: readonly Operand[]): Fact[] {
  return listed(name, operands.map(describeOperand));
}

function scriptFacts({ scripts, operands }: Plan): Fact[] {
  if (operands !== undefined) return operandFacts('scripts', operands);
  return scripts === undefined ? [] : listed('scripts', scripts.map(describeScript));
}

function describeScript(script: ScriptOperand): string {
  return 'path' in script ? `${quoteText(script.path)}, whatever is there` : describeOperand(script);
}

function describeOperand(operand: Operand): string {
  if ('digest' in operand) {
    const { path, digest, file, notHeld } = operand;
    const loose = notHeld === undefined ? '' : `, not held: ${quoteText(notHeld)}`;
    return `${quoteText(path)} is ${quoteText(file)}, sha256 ${renderArgument(digest)}${loose}`;
  }
  const what = operand.path === undefined ? '' : `${quoteText(operand.path)} is `;
  return `${what}not inspected: ${quoteText(operand.notInspected)}`;
}

function where({ strategy, image }: Plan): string {
  if (strategy === 'mirror') return "in the agent's own container, recorded (mirror)";
  if (strategy === 'passthrough') return 'by the agent itself (passthrough)';
  return `in a fresh container of ${renderArgument(image?.reference ?? '?')}, ${renderArgument(image?.id ?? '?')} (ghost)`;
}

function environment({ strategy, env }: Plan): Fact[] {
  if (strategy === 'passthrough' && env.length === 0) return [['environment', "the agent's own"]];
  return listed('environment', env.map(quoteText));
}

function limits({ limits: most, timeoutMs, idleTimeoutMs }: Plan): string {
  const set = [
    ['memory', most.memoryBytes, exactSize],
    ['cpus', most.cpus, String],
    ['processes', most.pids, String],
    ['output', most.outputBytes, exactSize],
    ['a file', most.fileBytes, exactSize],
    ['time', timeoutMs / 1000, seconds],
    ['silence', idleTimeoutMs / 1000, seconds],
  ] as const;
  const texts = set.filter(([, value]) => value !== 0).map(([name, value, text]) => `${name} ${text(value)}`);
  return texts.join(', ') || 'none';
}

function seconds(value: number): string {
  return `${value} s`;
}

/** One line each, so that no item looks like two or hides behind another; the first line has the name. */
function listed(name: string, items: readonly string[]): Fact[] {
  if (items.length === 0) return [[name, 'none']];
  return items.map((item, index): Fact => [index === 0 ? name : '', item]);
}
