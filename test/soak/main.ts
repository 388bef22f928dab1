import { parseArgs } from 'node:util';
import { startLab } from '../lab/lab.ts';
import { soak } from './soak.ts';

const mostMinutes = 1440;

const usage = `usage: scripts/soak --minutes N [--seed S]

Types five commands a second in an agent's container, breaks one part of the chain every minute, and checks what must
hold whatever breaks. Exit status 1: something did not hold.
  --minutes N   for so long, ${mostMinutes} at most
  --seed S      the same faults as in another run; the time when left out
  --help        this text
`;

const say = (line: string) => process.stderr.write(`soak: ${line}\n`);

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const usable = Number.isInteger(minutes) && minutes > 0 && minutes <= mostMinutes;
  if (values.help === true || !usable || !Number.isSafeInteger(seed)) {
    process.stdout.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
    return;
  }
  const lab = await startLab({ hosts: 2, progress: say });
  try {
    const problems = await soak(lab, { minutes, seed, say: (line) => process.stdout.write(`${line}\n`) });
    for (const problem of problems) process.stdout.write(`wrong: ${problem}\n`);
    process.stdout.write(problems.length === 0 ? 'everything held\n' : `${problems.length} did not hold\n`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    await lab.stop();
  }
}
