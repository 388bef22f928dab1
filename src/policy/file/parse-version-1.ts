import { checkShape } from '../../config/check-shape.ts';
import type { YamlSource } from '../../config/read-yaml.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import { type Assignment, assignedRule } from '../assignment.ts';
import type { Policy, Rule } from '../policy.ts';
import { warnAboutVariables } from '../request/dangerous-variables.ts';
import { compileArgs } from '../rules/match-args.ts';
import { indexRules } from '../rules/rule-index.ts';
import { findBreakerProblems, toBreaker } from './breakers.ts';
import { buildNetworks, type Networks, namedNetworks } from './build-networks.ts';
import { buildTools, findToolProblems, toOverrides } from './build-tools.ts';
import { findRuleProblems, findUndefinedTools } from './find-rule-problems.ts';
import { findTeachingProblems, taughtBy, warnAboutTeaching } from './find-teaching-problems.ts';
import { type PolicyFile, policySchema } from './policy-schema.ts';
import type { ToolFile } from './tool-file.ts';

type RuleFile = PolicyFile['rules'][number];

export type Version1Result = { readonly raw: PolicyFile } | { readonly problems: readonly string[] };

/** The file by itself. `isOpen`: tool files may define what it names and does not define. */
export function readVersion1(source: YamlSource, isOpen: boolean): Version1Result {
  const shape = checkShape(policySchema, source);
  if ('problems' in shape) return shape;
  const raw = shape.value;
  const taught = taughtBy(raw.tools);
  const problems = [
    ...findToolProblems(raw.tools, raw.networks, source),
    ...findTeachingProblems(taught, source, placeOfTool),
    ...findBreakerProblems(raw, source),
    ...findMisplacedEnd(source),
  ];
  if (problems.length > 0) return { problems };
  const ruleProblems = findRuleProblems(raw, knownTools.taught(taught), source, isOpen);
  return ruleProblems.length > 0 ? { problems: ruleProblems } : { raw };
}

/** What was read, with the tool files and the assignments that count beside it. */
export function buildVersion1(
  raw: PolicyFile,
  source: YamlSource,
  files: readonly ToolFile[],
  assignments: readonly Assignment[],
  hash: string,
): Policy {
  const tools = { ...raw.tools, ...Object.fromEntries(files.map(({ name, tool }) => [name, tool])) };
  const known = knownTools.taught(taughtBy(tools));
  const networks = buildNetworks(raw.networks);
  const rules = [
    ...raw.rules.map((rule, index) => ({
      ...toRule(rule, tools, networks, known),
      line: source.lineOf(['rules', index]),
    })),
    ...assignments.map(assignedRule),
  ];
  return {
    version: 1,
    hash,
    mode: raw.mode,
    defaultAction: raw.default,
    workspace: raw.workspace,
    roots: [raw.workspace],
    timeoutMs: raw.timeout,
    approvalExpiresMs: raw.approval.expires,
    environment: raw.environment.allow,
    tools: buildTools(tools, networks, raw.timeout),
    ...namedNetworks(networks),
    ...(files.length > 0 && { pages: new Map(files.map((file) => [file.name, file])) }),
    rules,
    index: indexRules(rules),
    known,
    breakers: raw.breakers.map(toBreaker),
    warnings: [
      ...warnAboutVariables(raw.environment.allow, source),
      ...warnAboutTeaching(taughtBy(raw.tools), source, placeOfTool),
      ...files.flatMap(({ name, tool, source: own }) =>
        warnAboutTeaching(taughtBy({ [name]: tool }), own, () => []),
      ),
      ...findUndefinedTools({ ...raw, tools }, source),
    ],
  };
}

function placeOfTool(name: string): readonly string[] {
  return ['tools', name];
}

/** After it, a cut file would not be noticed. */
function findMisplacedEnd(source: YamlSource): string[] {
  const isLast = Object.keys(source.value ?? {}).at(-1) === 'complete';
  return isLast ? [] : [source.problem(['complete'], 'must be the last line of the file')];
}

function toRule(
  raw: RuleFile,
  tools: PolicyFile['tools'],
  networks: Networks,
  known: KnownTools,
): Omit<Rule, 'line'> {
  const overrides = toOverrides(raw, networks);
  return {
    name: raw.name,
    action: raw.action,
    reason: raw.reason ?? `the rule "${raw.name}" says so`,
    ...toConditions(raw, known, Object.keys(tools)),
    ...(raw['runs-anything'] === undefined ? {} : { runsAnything: true }),
    ...(raw.instead === undefined ? {} : { instead: raw.instead }),
    ...(raw.timeout === undefined ? {} : { timeoutMs: raw.timeout }),
    ...(raw.rate === undefined ? {} : { rate: { rule: raw.name, ...raw.rate } }),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...toConsent(raw),
  };
}

/** Absent if every key is left out. */
function toConsent(raw: RuleFile): Pick<Rule, 'consent'> {
  const { approvals = 1, approvers, 'answer-in': answerIn, remind, escalate } = raw;
  const more = {
    ...(answerIn !== undefined && { answerIn }),
    ...(remind !== undefined && { remindMs: remind }),
    ...(escalate !== undefined && { escalate: { afterMs: escalate.after, to: escalate.to } }),
  };
  if (approvals === 1 && approvers === undefined && Object.keys(more).length === 0) return {};
  const { role = 'approver', names } = approvers ?? {};
  return { consent: { approvals, role, ...(names === undefined ? {} : { names }), ...more } };
}

function toConditions(raw: RuleFile, known: KnownTools, defined: readonly string[]): Partial<Rule> {
  const mayBeBare = (raw.tools ?? defined).some((tool) => known.get(tool)?.bareCluster === true);
  return {
    ...(raw.tools === undefined ? {} : { tools: new Set(raw.tools) }),
    ...(raw.args === undefined ? {} : { args: compileArgs(raw.args, mayBeBare) }),
    ...(raw.flags === undefined ? {} : { flags: raw.flags }),
    ...(raw.uids === undefined ? {} : { uids: new Set(raw.uids) }),
    ...(raw.agents === undefined ? {} : { agents: new Set(raw.agents) }),
    ...(raw.labels === undefined ? {} : { labels: Object.entries(raw.labels) }),
    ...(raw.cwd === undefined ? {} : { cwd: raw.cwd }),
    ...(raw.subcommands === undefined ? {} : { subcommands: new Set(raw.subcommands) }),
    ...(raw['safe-arguments'] === undefined ? {} : { safeArguments: true }),
  };
}
