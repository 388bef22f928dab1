import type { Learns, PlannedRoute, Reach, ReachBytes } from '../egress/reach.ts';
import type { Operand, Plan, PlanMount, PlanSecret, ScriptOperand } from '../plan.ts';
import { maskText, maskWords } from './mask-tokens.ts';
import { quoteText, renderArgument } from './render-text.ts';
import { exactSize } from './size-text.ts';
import { unusualCharacters } from './unusual-characters.ts';

const recorded = { 'head-tail': "its output's head and tail", full: 'its output, with its timing' };

/** One line of a plan: printable ASCII, and no other plan has the same lines. */
export interface PlanLine {
  /** One of our names; empty if the line continues the one before. */
  readonly name: string;
  readonly text: string;
  /** What is unusual about it, for a person who decides. */
  readonly notes: readonly string[];
}

/** `masked`: what looks like a token is left out, for places that keep what they are told. */
export type PlanShown = 'whole' | 'masked';

/**
 * Everything in a plan, as in the canonical text that was hashed. Text that an agent could have written is in quotes;
 * text without quotes is ours. The command line, the page and the chats all show these lines.
 */
export function planLines(canonical: string, shown: PlanShown = 'whole'): PlanLine[] {
  const plan = JSON.parse(canonical) as Plan;
  const secret = secretOf(shown);
  return [
    ...listed('argv', words(plan.argv, shown)),
    ...scriptLines(plan),
    line('cwd', quoteText(plan.cwd), charactersIn(plan.cwd)),
    line('user', `${plan.uid}:${plan.gid}, umask ${plan.umask.toString(8).padStart(3, '0')}`),
    line('runs', where(plan)),
    line('network', renderArgument(plan.network), hasNetwork(plan) ? ['it has a network'] : []),
    ...(plan.reach === undefined ? [] : reachLines(plan.reach)),
    line(
      'workspace',
      plan.workspace === '' ? 'none' : quoteText(plan.workspace),
      charactersIn(plan.workspace),
    ),
    ...listed('mounts', plan.mounts.map(describeMount)),
    ...environment(plan, secret),
    ...(plan.secrets === undefined ? [] : secretLines(plan.secrets, plan.unmasked === true)),
    line('limits', limits(plan)),
    line('stdin', plan.stdin),
    ...(plan.liveMs === undefined ? [] : [line('live', `every ${plan.liveMs / 1000} s`)]),
    ...(plan.record === undefined ? [] : [line('record', recorded[plan.record])]),
    line('policy', renderArgument(plan.policyHash)),
  ];
}

/** What the command runs besides its tool, as it was found. */
export function operandLines(name: string, operands: readonly Operand[]): PlanLine[] {
  return listed(name, operands.map(describeOperand));
}

/** Empty where the tool has that of its agent. */
function hasNetwork({ network }: Plan): boolean {
  return network !== 'none' && network !== '';
}

function reachLines({ network, allow, routes, most = {}, learns }: Reach): PlanLine[] {
  const destinations = allow.map(({ to, private: mayBePrivate }) => ({
    text: `${renderArgument(to)}${mayBePrivate === true ? ', also at addresses that are not public' : ''}`,
    notes: ['it can be reached'],
  }));
  const first = { text: `network ${renderArgument(network)}${bytesText(most)}`, notes: [] };
  const learning = learns === undefined ? [] : [describeLearning(learns)];
  return listed('reaches', [first, ...learning, ...destinations, ...routes.map(describeRoute)]);
}

function describeLearning({ by, id }: Learns): Item {
  const text = `every public address, while ${renderArgument(by)} learns what it needs (${renderArgument(id)})`;
  return { text, notes: ['it can reach every public address'] };
}

function bytesText({ up, down }: ReachBytes): string {
  const texts = [
    ...(up === undefined ? [] : [`${exactSize(up)} there`]),
    ...(down === undefined ? [] : [`${exactSize(down)} from there`]),
  ];
  return texts.length === 0 ? '' : `, at most ${texts.join(', ')}`;
}

function describeRoute({ name, to, methods, headers, secrets, private: mayBePrivate }: PlannedRoute): Item {
  const names = (all: readonly string[]) => all.map(renderArgument).join(' ') || '(none)';
  const place = `route ${renderArgument(name)} to ${renderArgument(to)}, methods ${names(methods)}`;
  const added = `headers ${names(headers)}, secrets ${names(secrets)}`;
  const also = mayBePrivate === true ? ', also at addresses that are not public' : '';
  return { text: `${place}, ${added}${also}`, notes: ['the gateway adds credentials'] };
}

function secretLines(secrets: readonly PlanSecret[], unmasked: boolean): PlanLine[] {
  const given = secrets.map(({ as, secret }) => ({
    text: `${renderArgument(as)} is the secret ${renderArgument(secret)}`,
    notes: ['it is given a secret'],
  }));
  const output = unmasked
    ? { text: 'its agent gets its output as it is', notes: ['its output may have its secrets'] }
    : { text: 'masked in its output', notes: [] };
  return listed('secrets', [...given, output]);
}

type Item = Omit<PlanLine, 'name'>;

function line(name: string, text: string, notes: readonly string[] = []): PlanLine {
  return { name, text, notes };
}

function words(argv: readonly string[], shown: PlanShown): Item[] {
  const masked = maskWords(argv);
  return argv.map((word, at) => secretItem(word, masked[at] ?? word, shown));
}

function secretOf(shown: PlanShown): (text: string) => Item {
  return (text) => secretItem(text, maskText(text), shown);
}

function secretItem(text: string, masked: string, shown: PlanShown): Item {
  const notes = [...charactersIn(text), ...(masked === text ? [] : ['it looks like a secret'])];
  return { text: quoteText(shown === 'masked' ? masked : text), notes };
}

function charactersIn(...texts: readonly string[]): string[] {
  return unusualCharacters(texts.join('')).map((kind) => `a character ${kind}`);
}

function describeMount({ kind, source, target, readOnly }: PlanMount): Item {
  const text = `${kind} ${quoteText(source)} at ${quoteText(target)}${readOnly === true ? ', read only' : ''}`;
  return { text, notes: charactersIn(source, target) };
}

function scriptLines({ scripts, operands }: Plan): PlanLine[] {
  if (operands !== undefined) return operandLines('scripts', operands);
  return scripts === undefined ? [] : listed('scripts', scripts.map(describeScript));
}

function describeScript(script: ScriptOperand): Item {
  if (!('path' in script)) return describeOperand(script);
  return { text: `${quoteText(script.path)}, whatever is there`, notes: charactersIn(script.path) };
}

function describeOperand(operand: Operand): Item {
  if ('digest' in operand) {
    const { path, digest, file, notHeld } = operand;
    const loose = notHeld === undefined ? '' : `, not held: ${quoteText(notHeld)}`;
    return {
      text: `${quoteText(path)} is ${quoteText(file)}, sha256 ${renderArgument(digest)}${loose}`,
      notes: [...charactersIn(path, file), ...(notHeld === undefined ? [] : ['it may change while it runs'])],
    };
  }
  const { path = '', notInspected } = operand;
  const what = operand.path === undefined ? '' : `${quoteText(path)} is `;
  return {
    text: `${what}not inspected: ${quoteText(notInspected)}`,
    notes: [...charactersIn(path, notInspected), 'nobody could look into it'],
  };
}

function where({ strategy, image, isolation }: Plan): string {
  if (strategy === 'mirror') return "in the agent's own container, recorded (mirror)";
  if (strategy === 'passthrough') return 'by the agent itself (passthrough)';
  if (strategy === 'fetch') return 'nothing: the gateway gets a page (fetch)';
  if (strategy === 'help') return 'nothing: the gateway answers (help)';
  const place = `${renderArgument(image?.reference ?? '?')}, ${renderArgument(image?.id ?? '?')}`;
  if (isolation === 'session')
    return `in the agent's session of ${place}, beside its other commands there (session)`;
  return `in a fresh container of ${place} (ghost)`;
}

function environment({ strategy, env }: Plan, secret: (text: string) => Item): PlanLine[] {
  if (strategy === 'passthrough' && env.length === 0) return [line('environment', "the agent's own")];
  return listed('environment', env.map(secret));
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
function listed(name: string, items: readonly Item[]): PlanLine[] {
  if (items.length === 0) return [line(name, 'none')];
  return items.map(({ text, notes }, index) => line(index === 0 ? name : '', text, notes));
}
