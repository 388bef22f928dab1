import { isHosting } from '../../egress/destination.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import type { LegacyRule, Policy, Rule, ToolDefinition } from '../policy.ts';
import { isNarrow } from '../rules/match-args.ts';
import { matchesLegacyGlob } from '../version-0/legacy-glob.ts';
import { findHoles } from './find-holes.ts';
import { findLooseOperands } from './loose-operands.ts';
import { findNothingNamed } from './nothing-named.ts';
import { findOpenHosts } from './open-hosts.ts';
import { interpreters, isOneOf, rootTools, wrappers } from './risky-tools.ts';
import { ruleAt } from './rule-at.ts';
import { findSecretErrors, findSecretWarnings } from './secret-risks.ts';
import { findSessionWarnings } from './session-risks.ts';
import { findUnnamedTwins } from './unnamed-twins.ts';
import { findUnreachable } from './unreachable-rules.ts';
import { findUnreadFlags } from './unread-flags.ts';
import { findUnreadOptions } from './unread-options.ts';
import { findUnsaidDirectories } from './unsaid-directories.ts';
import { findWeakDenials } from './weak-denials.ts';
import { findWholeLines } from './whole-lines.ts';

export interface PolicyFindings {
  /** What no policy should say; a person may use it with `--force`. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Problems of a policy that loads: one line each, with the rule's line and name. */
export function checkPolicy(policy: Policy): PolicyFindings {
  return {
    errors: [
      ...(policy.defaultAction === 'allow'
        ? ['default: allow lets every command run that no rule is about']
        : []),
      ...(policy.mode === 'shadow' ? ['mode: shadow denies nothing, and asks nobody'] : []),
      ...findSecretErrors(policy),
      ...(policy.version === 1 ? policy.rules.flatMap(errorsOf) : policy.rules.flatMap(legacyErrorsOf)),
    ],
    warnings: [
      ...policy.warnings,
      ...(policy.version === 1
        ? [
            ...policy.rules.flatMap(warningsOf),
            ...findUnreachable(policy.rules),
            ...findHoles(policy.rules, policy.known ?? knownTools),
            ...findLooseOperands(policy),
            ...findWholeLines(policy),
            ...findUnnamedTwins(policy),
            ...findNothingNamed(policy),
            ...findOpenHosts(policy),
            ...findUnreadOptions(policy),
            ...findUnreadFlags(policy),
            ...findUnsaidDirectories(policy),
            ...findWeakDenials(policy),
            ...findUnused(policy),
          ]
        : policy.rules.flatMap(legacyWarningsOf)),
      ...findRiskyTools(policy),
      ...findSecretWarnings(policy),
      ...findSessionWarnings(policy),
    ],
  };
}

function errorsOf(rule: Rule): string[] {
  if (rule.action !== 'allow') return [];
  if (rule.tools === undefined) return [`${ruleAt(rule)} allows every tool: name the tools`];
  if (rule.runsAnything === true)
    return [`${ruleAt(rule)} allows ${[...rule.tools].join(', ')} to run anything: keep it for a trial`];
  // Flags alone leave nothing out: a caller only has to add one.
  if (isNarrow(rule.args)) return [];
  return [...rule.tools]
    .filter((tool) => isOneOf(wrappers, tool))
    .map((tool) => `${ruleAt(rule)} allows ${tool}, which runs any other tool: give args, or ask`);
}

function warningsOf(rule: Rule): string[] {
  const notes = (rule.args?.items ?? [])
    .flatMap((item) => (item === '**' ? [] : item.flat()))
    .filter(looksLikeRegExp);
  const programs =
    rule.action === 'allow' ? [...(rule.tools ?? [])].filter((tool) => isRisky(tool, rule)) : [];
  return [
    ...notes.map(
      (text) => `${ruleAt(rule)}: "${text}" looks like a regular expression; patterns know only * and |`,
    ),
    ...programs.map(
      (tool) => `${ruleAt(rule)} allows ${tool}, which runs programs from its arguments or input`,
    ),
  ];
}

function isRisky(tool: string, rule: Rule): boolean {
  if (rule.safeArguments === true) return false;
  return isOneOf(interpreters, tool) || (isOneOf(wrappers, tool) && isNarrow(rule.args));
}

function looksLikeRegExp(text: string): boolean {
  return /^\^|\$$|\\[dswb.]|\)[+?]|\]\+|\(\?/.test(text);
}

function legacyErrorsOf(rule: LegacyRule): string[] {
  if (rule.action !== 'allow' || rule.substrings.length > 0) return [];
  if (rule.command.every((item) => item === '*'))
    return [`${ruleAt(rule)} allows every tool: name the tools`];
  return [...wrappers]
    .filter((tool) => matchesLegacyGlob(rule.command, tool))
    .map((tool) => `${ruleAt(rule)} allows ${tool}, which runs any other tool`);
}

function legacyWarningsOf(rule: LegacyRule): string[] {
  if (rule.action !== 'allow' || rule.command.every((item) => item === '*')) return [];
  return [...interpreters]
    .filter((tool) => matchesLegacyGlob(rule.command, tool))
    .map((tool) => `${ruleAt(rule)} allows ${tool}, which runs programs from its arguments or input`);
}

function findUnused({ tools, rules, defaultAction }: Policy & { version: 1 }): string[] {
  const opens = rules.filter(({ action }) => action !== 'deny');
  if (defaultAction !== 'deny' || opens.some(({ tools: named }) => named === undefined)) return [];
  return [...tools.values()]
    .filter(
      ({ name, otherwise = 'deny' }) => otherwise === 'deny' && !opens.some((rule) => rule.tools?.has(name)),
    )
    .map(({ name }) => `tools.${name} is defined, but no rule ever lets it run`);
}

function findRiskyTools(policy: Policy): string[] {
  const tools = [...policy.tools.values()];
  const networked = tools.filter(({ network }) => network !== 'none');
  const names = networked.map(({ name }) => name).join(', ');
  return [
    ...tools
      .filter(({ otherwise }) => otherwise === 'allow')
      .map(
        ({ name }) => `tools.${name}: otherwise: allow lets every ${name} command run that no rule is about`,
      ),
    ...tools
      .filter(({ name, strategy }) => strategy === 'ghost' && rootTools.has(name))
      .map(({ name }) => `tools.${name} needs root, and a ghost never runs as root`),
    ...networked
      .filter(({ network }) => network === 'bridge')
      .map(
        ({ name }) => `tools.${name}: containers on Docker's own bridge can reach each other; make a network`,
      ),
    ...tools.flatMap(findNamedNetworks),
    ...(networked.length === 0
      ? []
      : [
          `${names} can reach a network: while one runs, its agent can too, through the workspace they share; a Docker network leads to all that its host reaches, engines and metadata services among it: clawrden doctor, which asks the hosts, says what answers`,
        ]),
  ];
}

function findNamedNetworks({ name, reach, egressUpBytes, egressDownBytes }: ToolDefinition): string[] {
  const isBounded = egressUpBytes > 0 || egressDownBytes > 0;
  if (reach.network === '')
    return isBounded ? [`tools.${name}: egress-bytes is of no use without a network by name`] : [];
  const at = `tools.${name}: network ${reach.network}`;
  return [
    ...reach.allow
      .filter(({ to }) => isHosting(to))
      .map(({ to }) => `${at} has ${to}, where everybody may have a server: name your own`),
  ];
}
