import { decide } from '../../src/policy/decide.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';

const ruleCount = 1000;
const batch = 20;

/** What the policy alone takes to decide, in a policy that is long. */
export async function judgingFigures({ quick }: Counts): Promise<Figure[]> {
  const batches = quick ? 100 : 2000;
  return [
    judgingFigure('one in ten about the tool', policyOf(10), batches),
    judgingFigure('all about the tool', policyOf(1), batches),
  ];
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

function policyOf(every: number): Policy {
  const tools = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const rules = Array.from({ length: ruleCount }, (_, index) => {
    const tool = index % every === 0 ? 'git' : tools[index % tools.length];
    const action = ['deny', 'ask', 'allow'][index % 3];
    return `{ name: r${index}, tools: [${tool}], args: [x${index}, "**"], flags: [--f${index}], action: ${action} }`;
  });
  const defined = ['git', ...tools].map((tool) => `${tool}: { strategy: mirror }`);
  const result = parsePolicy(
    `version: 1\ntools: { ${defined.join(', ')} }\nrules: [${rules.join(', ')}]\ncomplete: true\n`,
    'bench.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}
