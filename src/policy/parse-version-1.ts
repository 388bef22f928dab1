import { checkShape } from '../config/check-shape.ts';
import { duplicates } from '../config/duplicates.ts';
import { nearestHint } from '../config/nearest.ts';
import type { YamlSource } from '../config/read-yaml.ts';
import { buildTools, findToolProblems } from './build-tools.ts';
import { warnAboutVariables } from './dangerous-variables.ts';
import { compileArgs } from './match-args.ts';
import type { PolicyResult, Rule } from './policy.ts';
import { type PolicyFile, policySchema } from './policy-schema.ts';

const reservedNames: ReadonlySet<string> = new Set(['default', 'otherwise', 'tool-unknown']);

export function parseVersion1(source: YamlSource, hash: string): PolicyResult {
  const shape = checkShape(policySchema, source);
  if ('problems' in shape) return shape;
  const raw = shape.value;
  const problems = [
    ...findToolProblems(raw.tools, raw.networks, source),
    ...findRuleProblems(raw, source),
    ...findMisplacedEnd(source),
  ];
  if (problems.length > 0) return { problems };
  return {
    policy: {
      version: 1,
      hash,
      defaultAction: raw.default,
      workspace: raw.workspace,
      roots: [raw.workspace],
      timeoutMs: raw.timeout,
      approvalExpiresMs: raw.approval.expires,
      environment: raw.environment.allow,
      tools: buildTools(raw.tools, raw.networks, raw.timeout),
      rules: raw.rules.map((rule, index) => toRule(rule, source.lineOf(['rules', index]))),
      warnings: warnAboutVariables(raw.environment.allow, source),
    },
  };
}

function findRuleProblems({ rules, tools }: PolicyFile, source: YamlSource): string[] {
  const names = rules.map(({ name }) => name);
  const known = Object.keys(tools);
  return [
    ...duplicates(names).map((index) =>
      source.problem(['rules', index, 'name'], `another rule is named "${names[index]}" already`),
    ),
    ...names.flatMap((name, index) =>
      reservedNames.has(name)
        ? source.problem(['rules', index, 'name'], `"${name}" is no name for a rule`)
        : [],
    ),
    ...rules.flatMap(({ tools: wanted = [] }, index) =>
      wanted.flatMap((tool, place) =>
        known.includes(tool)
          ? []
          : source.problem(
              ['rules', index, 'tools', place],
              `the tool "${tool}" is not defined under tools${nearestHint(tool, known, 'tool')}`,
            ),
      ),
    ),
  ];
}

/** Behind it a cut would not be noticed. */
function findMisplacedEnd(source: YamlSource): string[] {
  const isLast = Object.keys(source.value ?? {}).at(-1) === 'complete';
  return isLast ? [] : [source.problem(['complete'], 'must be the last line of the file')];
}

function toRule(raw: PolicyFile['rules'][number], line: number): Rule {
  return {
    name: raw.name,
    action: raw.action,
    reason: raw.reason ?? `the rule "${raw.name}" says so`,
    line,
    ...(raw.tools === undefined ? {} : { tools: new Set(raw.tools) }),
    ...(raw.args === undefined ? {} : { args: compileArgs(raw.args) }),
    ...(raw.flags === undefined ? {} : { flags: raw.flags }),
    ...(raw.uids === undefined ? {} : { uids: new Set(raw.uids) }),
    ...(raw.agents === undefined ? {} : { agents: new Set(raw.agents) }),
    ...(raw.timeout === undefined ? {} : { timeoutMs: raw.timeout }),
  };
}
