import { expect, test } from 'vitest';
import { parsePolicy } from '../../../policy/file/parse-policy.ts';
import { checkRoutes } from './check-routes.ts';

test('a route of the policy that gateway.yaml does not have is an error, with its tool', () => {
  const parsed = parsePolicy(
    `version: 1
networks: { n: { routes: [npm, model] } }
tools: { npm: { strategy: ghost, image: node, network: n } }
complete: true
`,
    'policy.yaml',
  );
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  const agents = [
    { name: 'a', network: 'n' },
    { name: 'b', network: 'elsewhere' },
  ];
  expect(checkRoutes({ routes: [{ name: 'npm' }], agents }, parsed.policy)).toEqual([
    expect.objectContaining({ level: 'error', text: 'tools.npm has the route model, which is not there' }),
    expect.objectContaining({ level: 'error', text: 'agent a has the route model, which is not there' }),
    expect.objectContaining({
      level: 'error',
      text: 'agent b has the network elsewhere, which the policy has not',
    }),
  ]);
  const routes = [{ name: 'npm' }, { name: 'model' }];
  expect(checkRoutes({ routes, agents: agents.slice(0, 1) }, parsed.policy)).toEqual([]);
});
