import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { slowFiles } from './turns.ts';

/** Files that take two minutes and more with full counts, on two busy cores. */
export const longest: readonly string[] = [
  'test/workspaces/model.test.ts',
  'test/policy/real-spellings.test.ts',
  'test/dashboard/memory.test.ts',
  'test/warden/gateway-killed.test.ts',
  'test/mcp/long-command.test.ts',
  'test/install/package.test.ts',
  'test/policy/real-tools.test.ts',
  'test/warden/verdict-race.test.ts',
  'test/audit/rotation-interrupted.test.ts',
  'test/audit/interrupted.test.ts',
  'test/scenarios/interruptions.test.ts',
  'test/e2e/more-clients.test.ts',
];

const checkout = join(import.meta.dirname, '../..');
const order = new Map([...longest, ...slowFiles].reverse().map((file, at) => [join(checkout, file), at + 1]));

/** A slow file that comes last runs alone: they come first, and the others as Vitest orders them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => order.get(moduleId) ?? 0;
    return (await super.sort(files)).toSorted((one, other) => rank(other) - rank(one));
  }
}
