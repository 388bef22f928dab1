import type { TestProject } from 'vitest/node';
import { type LabDescription, startLab } from './lab.ts';
import { leftovers } from './remove.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The lab of this run, or null if the user is not root. */
    readonly lab: LabDescription | null;
  }
}

/** One lab with two build hosts for the whole run; the run fails if it leaves any part of the lab. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.getuid?.() !== 0) {
    process.stderr.write('lab: skipping every test that needs Docker engines: they need root\n');
    project.provide('lab', null);
    return async () => {};
  }
  const lab = await startLab({ hosts: 2, progress: (line) => process.stderr.write(`lab: ${line}\n`) });
  project.provide('lab', lab.description);
  return async () => {
    await lab.stop();
    const rest = await leftovers(lab.id);
    if (rest.length > 0) throw new Error(`clawrden: lab: left behind: ${rest.join(', ')}`);
  };
}
