import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Lab, startLab } from '../lab/lab.ts';
import { checkout } from '../lab/names.ts';
import { startBenchStack } from './bench-stack.ts';
import { coldFigures } from './cold.ts';
import { controlPlaneFigures } from './control-plane.ts';
import type { Figure } from './figure.ts';
import { type Counts, latencyFigures } from './latency.ts';
import { placementFigures } from './placement.ts';
import { showTable } from './table.ts';
import { throughputFigures } from './throughput.ts';
import { buildStatic } from './timer.ts';

const usage = `usage: scripts/bench [--quick] [--only GROUP]

Measures what Clawrden promises, beside what a user would do instead, in one run; writes bench.json.
  --quick        small counts: for a look, not for quoting
  --only GROUP   placement, control-plane, latency, cold or throughput
  --help         this text
`;

const say = (line: string) => process.stderr.write(`bench: ${line}\n`);

type Group = (counts: Counts) => Promise<Figure[]>;

const groups: Readonly<Record<string, Group>> = {
  placement: placementFigures,
  'control-plane': controlPlaneFigures,
  latency: (counts) => onStack(8, counts, latencyFigures),
  cold: (counts) => onStack(0, counts, coldFigures),
  throughput: (counts) => onStack(8, counts, throughputFigures),
};

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  const wanted = Object.entries(groups).filter(([name]) => values.only === undefined || values.only === name);
  if (values.help === true || wanted.length === 0) {
    process.stdout.write(usage);
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

/** A fresh lab for each group: none is measured in the wake of another. */
async function onStack(
  warm: number,
  counts: Counts,
  measure: (bench: Awaited<ReturnType<typeof startBenchStack>>, counts: Counts) => Promise<Figure[]>,
): Promise<Figure[]> {
  const lab: Lab = await startLab({ hosts: 2, progress: say });
  try {
    const bench = await startBenchStack(lab, await buildStatic('timer'), warm);
    try {
      return await measure(bench, counts);
    } finally {
      await bench.stack.stop();
    }
  } finally {
    await lab.stop();
  }
}
