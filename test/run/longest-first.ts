import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { inFull, slowFiles } from './slow-files.ts';
import { slowUnitFiles } from './slow-unit-files.ts';

const checkout = join(import.meta.dirname, '../..');
const order = new Map(
  [...inFull, ...slowFiles, ...slowUnitFiles].reverse().map((file, at) => [join(checkout, file), at + 1]),
);

/** A slow file that comes last runs alone: they come first, and the others as Vitest orders them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => order.get(moduleId) ?? 0;
    return (await super.sort(files)).toSorted((one, other) => rank(other) - rank(one));
  }
}
