import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { scrubEnvironment } from '../../src/policy/request/scrub-environment.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { limitCommands, limitFacts, limitPolicy, limitRules } from '../policy/limit-commands.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';

const ruleCount = 1000;
const batch = 20;

/** How long the policy alone takes to decide, with a long policy. */
export async function judgingFigures({ quick }: Counts): Promise<Figure[]> {
  const batches = quick ? 100 : 1000;
  return [
    judgingFigure('one in ten about the tool', policyOf(10), batches),
    judgingFigure('all about the tool', policyOf(1), batches),
    judgingFigure('each with a pattern that begins with anything', policyOf(1, '"*x'), batches),
    ...limitFigures(quick ? 10 : 50),
    environmentFigure(quick ? 10 : 50),
  ];
}

/**
 * The commands that take longest, each against the kind of rules that makes it slowest; a few rounds find that kind.
 */
function limitFigures(rounds: number): Figure[] {
  const policies = Object.keys(limitRules).map((kind) => limitPolicy([kind], 'deny'));
  return Object.keys(limitCommands).map((name) => {
    const costOf = (policy: Policy) => quantiles(timesOf(policy, name, 5)).p50;
    const [worst] = policies
      .map((policy) => ({ policy, cost: costOf(policy) }))
      .toSorted((a, b) => b.cost - a.cost);
    const taken = worst === undefined ? quantiles([0]) : quantiles(timesOf(worst.policy, name, rounds));
    const figure = `judging at the limits: ${name}`;
    return { figure, unit: 'ms', ...pick(taken), target: '< 5 ms', met: taken.p50 < 5 };
  });
}

/** As many variables as a command may have, and as many allowed names as a policy may have. */
function environmentFigure(rounds: number): Figure {
  const env = Array.from({ length: 1000 }, (_, index) => `NAME_${index}=${'v'.repeat(1000)}`);
  const allowed = env.map((_, index) => (index % 2 === 0 ? `NAME_${index}` : `OTHER_${index}*`));
  const samples = Array.from({ length: rounds }, () => {
    const since = performance.now();
    scrubEnvironment(env, allowed);
    return performance.now() - since;
  });
  const taken = quantiles(samples);
  const figure = 'judging at the limits: 1000 variables, 1000 names allowed';
  return { figure, unit: 'ms', ...pick(taken), target: '< 5 ms', met: taken.p50 < 5 };
}

function pick({ p50, p95, p99 }: ReturnType<typeof quantiles>): Pick<Figure, 'p50' | 'p95' | 'p99'> {
  return { p50, p95, p99 };
}

function timesOf(policy: Policy, name: string, rounds: number): number[] {
  return Array.from({ length: rounds }, () => {
    const facts = limitFacts(name);
    const since = performance.now();
    decide(policy, facts);
    return performance.now() - since;
  });
}

function judgingFigure(kind: string, policy: Policy, batches: number): Figure {
  const args = ['log', '--format=%H', '-n', '5', '--', 'src/a.ts'];
  const facts = { agent: 'coder', tool: 'git', args, uid: 1000, gid: 1000, cwd: '/app' };
  const samples = Array.from({ length: batches }, () => {
    const since = performance.now();
    for (let index = 0; index < batch; index += 1) decide(policy, facts);
    return ((performance.now() - since) / batch) * 1000;
  });
  const { p50, p95, p99 } = quantiles(samples);
  const figure = `a decision of the policy, ${ruleCount} rules, ${kind}`;
  return { figure, unit: 'µs', p50, p95, p99, target: '< 50 µs', met: p50 < 50 };
}

function policyOf(every: number, start = '"x'): Policy {
  const tools = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const rules = Array.from({ length: ruleCount }, (_, index) => {
    const tool = index % every === 0 ? 'git' : tools[index % tools.length];
    const action = ['deny', 'ask', 'allow'][index % 3];
    return `{ name: r${index}, tools: [${tool}], args: [${start}${index}", "**"], flags: [--f${index}], action: ${action} }`;
  });
  const defined = ['git', ...tools].map((tool) => `${tool}: { strategy: mirror }`);
  const result = parsePolicy(
    `version: 1\ntools: { ${defined.join(', ')} }\nrules: [${rules.join(', ')}]\ncomplete: true\n`,
    'bench.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}
