import type { TestProject } from 'vitest/node';
import { type LabDescription, startLab } from './lab.ts';
import { leftovers } from './remove.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A lab for each worker of this run, or none if the user is not root. */
    readonly labs: readonly LabDescription[];
  }
}

/** A lab with two build hosts for each worker, for the whole run; the run fails if it leaves any part of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.getuid?.() !== 0) {
    process.stderr.write('lab: skipping every test that needs Docker engines: they need root\n');
    project.provide('labs', []);
    return async () => {};
  }
  const progress = (line: string) => process.stderr.write(`lab: ${line}\n`);
  const workers = Array.from({ length: project.config.maxWorkers }, (_, worker) => worker);
  const labs = await Promise.all(workers.map(() => startLab({ hosts: 2, progress })));
  project.provide(
    'labs',
    labs.map(({ description }) => description),
  );
  return async () => {
    await Promise.all(labs.map((lab) => lab.stop()));
    const rest = (await Promise.all(labs.map(({ id }) => leftovers(id)))).flat();
    if (rest.length > 0) throw new Error(`clawrden: lab: left behind: ${rest.join(', ')}`);
  };
}
