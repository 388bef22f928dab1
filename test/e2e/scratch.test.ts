import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxBinary } from '../lab/images/busybox-root.ts';
import { scratchImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy } from './life.ts';

describe.skipIf(!hasLab())('an agent in an image that holds nothing', () => {
  let stack: Stack;

  beforeAll(async () => {
    // The container runs the shim itself; it has one tool and nothing else.
    const extra = ['--volume', `${busyboxBinary}:/bin/expr:ro`];
    const container = { image: scratchImage, command: ['ghostly', 'sleep 300'], extra };
    const policy = lifePolicy({ tools: '  expr: { strategy: mirror }' });
    stack = await startStack(sharedLab(), { name: 'scratch', policy, agents: { bare: { container } } });
  });
  afterAll(() => stack?.stop());

  test('has its commands run in ghosts', async () => {
    const script = 'echo "$(id -u) in $PWD"; cat; echo err >&2; exit 3';
    const result = await stack.agents.bare!.exec(['ghostly', script], { input: 'typed\n' });
    expect(result).toMatchObject({ code: 3, stdout: '1000 in /app\ntyped\n', stderr: 'err\n' });
  });

  test('has the one tool that it holds mirrored', async () => {
    const { code, stdout, stderr } = await stack.agents.bare!.exec(['expr', '6', '*', '7']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '42\n', stderr: '' });
  });

  test('is told what is denied', async () => {
    const result = await stack.agents.bare!.exec(['ghostly', ': no']);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^clawrden: denied-by-rule: not here .*\n$/);
  });
});
