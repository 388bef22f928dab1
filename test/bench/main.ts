import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { internetAddress, internetPublicAddress } from '../e2e/internet.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { checkout } from '../lab/names.ts';
import { type BenchStack, type StackWish, startBenchStack } from './bench-stack.ts';
import { burstFigures } from './burst.ts';
import { coldFigures } from './cold.ts';
import { controlPlaneFigures } from './control-plane.ts';
import { egressFigures } from './egress.ts';
import { egressPolicy } from './egress-policy.ts';
import type { Figure } from './figure.ts';
import { followedFigures } from './followed.ts';
import { hashingFigures } from './hashing.ts';
import { hopFigures } from './hops.ts';
import { httpFigures } from './http.ts';
import { judgingFigures } from './judging.ts';
import { type Counts, latencyFigures } from './latency.ts';
import { pageFigures } from './page.ts';
import { placementFigures } from './placement.ts';
import { sustainedFigures } from './sustained.ts';
import { showTable } from './table.ts';
import { throughputFigures } from './throughput.ts';
import { buildStatic } from './timer.ts';
import { traceCostFigures } from './trace-cost.ts';
import { hopsEnv } from './traces.ts';

const usage = () => `usage: scripts/bench [--quick] [--only GROUP]

Measures what Clawrden promises, beside what a user would do instead, in one run; writes bench.json.
  --quick        small counts: for a look, not for quoting
  --only GROUP   ${Object.keys(groups()).join(', ')}
  --help         this text
`;

const say = (line: string) => process.stderr.write(`bench: ${line}\n`);

type Group = (counts: Counts) => Promise<Figure[]>;

function groups(): Readonly<Record<string, Group>> {
  return {
    policy: judgingFigures,
    hashing: hashingFigures,
    placement: placementFigures,
    'control-plane': controlPlaneFigures,
    traces: traceCostFigures,
    http: httpFigures,
    page: pageFigures,
    latency: onStack({ hosts: 2, warm: 8 }, latencyFigures),
    hops: onStack({ hosts: 2, warm: 8, env: hopsEnv }, hopFigures),
    burst: onStack({ hosts: 2, warm: 8 }, burstFigures),
    cold: onStack({ hosts: 2, warm: 0 }, coldFigures),
    'one-engine': onStack({ hosts: 1, warm: 0 }, sustainedFigures),
    'two-engines': onStack({ hosts: 2, warm: 0 }, sustainedFigures),
    throughput: onStack({ hosts: 2, warm: 8 }, throughputFigures),
    egress: onStack({ hosts: 2, warm: 4, neighbour: true, policy: egressOf() }, egressFigures),
    workspaces: onStack({ hosts: 2, warm: 8, followed: true, env: hopsEnv }, followedFigures),
  };
}

function egressOf() {
  return egressPolicy(internetAddress, internetPublicAddress);
}

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  const wanted = Object.entries(groups()).filter(
    ([name]) => values.only === undefined || values.only === name,
  );
  if (values.help === true || wanted.length === 0) {
    process.stdout.write(usage());
    process.exitCode = values.help === true ? 0 : 2;
    return;
  }
  const figures: Figure[] = [];
  for (const [name, measure] of wanted) {
    say(name);
    figures.push(...(await measure({ quick: values.quick === true })));
  }
  showTable(figures);
  await writeFile(join(checkout, 'bench.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
}

/** A fresh lab for each group, so that no group affects the next. */
function onStack(
  { hosts, ...options }: StackWish & { readonly hosts: number },
  measure: (bench: BenchStack, counts: Counts) => Promise<Figure[]>,
): Group {
  return async (counts) => {
    const lab: Lab = await startLab({ hosts, progress: say });
    try {
      const bench = await startBenchStack(lab, await buildStatic('timer'), options);
      try {
        return await measure(bench, counts);
      } finally {
        await bench.stack.stop();
      }
    } finally {
      await lab.stop();
    }
  };
}
