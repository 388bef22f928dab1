import { setTimeout as sleep } from 'node:timers/promises';
import { holdsLease, takeLease } from './lease.ts';
import { leftovers, removeLab } from './remove.ts';

const attempts = 10;

const id = await takeLease();
process.stdin.resume().once('end', () => void removeAll());
process.stdout.write(`${id}\n`);

// A command of the dead process may still add something after the first removal.
async function removeAll(): Promise<void> {
  if (!(await holdsLease(id))) return;
  for (let i = 0; i < attempts; i++) {
    const problem = await removeLab(id).catch((error: unknown) => error);
    const rest = (await leftovers(id)).filter((item) => item !== `process ${process.pid}`);
    if (problem === undefined && rest.length === 0) return;
    await sleep(500);
    if (i === attempts - 1) report(problem ?? rest.join(', '));
  }
}

function report(problem: unknown): void {
  const what = problem instanceof Error ? problem.message : String(problem);
  process.stderr.write(`clawrden: lab: ${id} is not quite removed: ${what}; run scripts/lab down ${id}\n`);
  process.exitCode = 1;
}
