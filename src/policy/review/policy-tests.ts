import { z } from 'zod';
import { checkShape, strictObject } from '../../config/check-shape.ts';
import { labelsField } from '../../config/fields.ts';
import { readYaml, type YamlSource } from '../../config/read-yaml.ts';
import { actionField } from '../file/policy-schema.ts';
import type { Action, Policy } from '../policy.ts';
import { explainCommand } from '../rules/explain.ts';

/** One row of a table of expected decisions. */
export interface PolicyTest {
  readonly argv: readonly string[];
  readonly expect: Action;
  /** The rule that must decide, if that matters. */
  readonly rule?: string;
  readonly agent: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uid: number;
  /** The workspace if absent. */
  readonly cwd?: string;
  readonly line: number;
}

export interface PolicyTests {
  /** As the file names it. */
  readonly policy: string;
  readonly tests: readonly PolicyTest[];
}

export interface PolicyTestResult {
  readonly test: PolicyTest;
  readonly passed: boolean;
  readonly action: Action;
  readonly rule: string;
  readonly reason: string;
}

const testSchema = strictObject({
  // A text is split at blanks; use the list for words that contain blanks.
  run: z.union([z.string().trim().min(1), z.array(z.string()).min(1)]),
  expect: actionField,
  rule: z.string().optional(),
  agent: z.string().default(''),
  labels: labelsField.default({}),
  uid: z.int().min(0).default(1000),
  cwd: z.string().optional(),
});

const fileSchema = strictObject({
  policy: z.string().min(1).default('policy.yaml'),
  tests: z.array(testSchema).min(1),
});

export type PolicyTestsResult = { readonly file: PolicyTests } | { readonly problems: readonly string[] };

/** Each fault of the text is one line, `file:line: key: what`. */
export function parsePolicyTests(text: string, file: string): PolicyTestsResult {
  const yaml = readYaml(text, file);
  if ('problems' in yaml) return yaml;
  const shape = checkShape(fileSchema, yaml.source);
  if ('problems' in shape) return shape;
  const { policy, tests } = shape.value;
  return { file: { policy, tests: tests.map((test, index) => toTest(test, index, yaml.source)) } };
}

function toTest(raw: z.infer<typeof testSchema>, index: number, source: YamlSource): PolicyTest {
  const { run, rule, cwd, ...same } = raw;
  return {
    ...same,
    argv: typeof run === 'string' ? run.split(' ').filter((word) => word !== '') : run,
    ...(rule === undefined ? {} : { rule }),
    ...(cwd === undefined ? {} : { cwd }),
    line: source.lineOf(['tests', index]),
  };
}

export function runPolicyTest(policy: Policy, test: PolicyTest): PolicyTestResult {
  const [tool = '', ...args] = test.argv;
  const { agent, labels, uid, cwd = policy.workspace } = test;
  const { decision } = explainCommand(policy, { agent, labels, tool, args, uid, gid: uid, cwd });
  const { action, rule, reason } = decision;
  const passed = action === test.expect && (test.rule === undefined || test.rule === rule);
  return { test, passed, action, rule, reason };
}
