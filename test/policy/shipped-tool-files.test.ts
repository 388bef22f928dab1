import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { routesSchema, secretsSchema, toRoutes } from '../../src/config/route-fields.ts';
import { plannedRoute } from '../../src/egress/route.ts';
import { packageRoot } from '../../src/package-root.ts';
import { composePolicy } from '../../src/policy/file/compose-policy.ts';
import { parseToolFile } from '../../src/policy/file/tool-file.ts';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { rowsOf } from '../house/page-examples.ts';

const folder = join(packageRoot(), 'tools');
const names = readdirSync(folder).map((file) => file.replace(/\.md$/, ''));

/** What each may reach, and what it is given. */
const reached: Readonly<Record<string, object>> = {
  gh: { allow: ['api.github.com:443'], routes: [], secrets: { GH_TOKEN: 'github' } },
  kubectl: { allow: [], routes: ['cluster'], secrets: {} },
  stripe: { allow: ['api.stripe.com:443'], routes: [], secrets: { STRIPE_API_KEY: 'stripe' } },
  terraform: { allow: [], routes: [], secrets: {} },
  web_fetch: { allow: [], routes: [], secrets: {} },
};

test('five tools are shipped', () => {
  expect(names.toSorted()).toEqual(['gh', 'kubectl', 'stripe', 'terraform', 'web_fetch']);
});

test('A-236: terraform reaches the registry only when a person was asked', () => {
  const { policy } = composedOf('terraform');
  const reachOf = (command: string) => {
    const facts = { agent: 'coder', tool: 'terraform', args: [command], uid: 1000, gid: 1000, cwd: '/app' };
    const { action, tool } = decide(policy, facts);
    return [action, tool?.reach.allow.map(({ to }) => to)];
  };
  const registry = ['registry.terraform.io:443', 'releases.hashicorp.com:443'];
  expect(['fmt', 'plan', 'init'].map(reachOf)).toEqual([
    ['allow', []],
    ['ask', registry],
    ['ask', registry],
  ]);
});

test('A-430: what of gh runs the git of a repository does not see it, and no rule of its page lets it', () => {
  const { policy } = composedOf('gh');
  const placeOf = (line: string) => {
    const args = line.split(' ');
    const { action, tool } = decide(policy, {
      agent: 'coder',
      tool: 'gh',
      args,
      uid: 1,
      gid: 1,
      cwd: '/app',
    });
    return [action, tool?.workspace];
  };
  for (const line of [
    'pr create --title t --body b --head topic',
    'pr review 1 --approve',
    'issue create -t t',
  ])
    expect([line, ...placeOf(line)]).toEqual([line, 'ask', 'none']);
  for (const line of ['pr checkout 1', 'pr merge 1 -d', 'repo sync', 'repo clone x'])
    expect([line, ...placeOf(line)]).toEqual([line, 'deny', undefined]);
  const file = read('gh');
  const documentation = file.documentation.replace('workspace: none, ', '');
  const { warnings } = checkPolicy(composedFrom({ ...file, documentation }).policy);
  expect(warnings.filter((line) => line.includes('gives secrets to gh'))).toEqual([
    expect.stringMatching(/rule gh-write \(line \d+\) lets it run git, .*workspace: none/),
  ]);
});

describe.each(names)('tools/%s.md', (name) => {
  const file = read(name);
  const { documentation, tool } = file;
  const additions = { toolFiles: [[file]] };
  const composed = composedOf(name);
  const rows = rowsOf(documentation);

  test('loads with its rules, without an error, and nobody finds anything about its network or secrets', () => {
    const { errors, warnings } = checkPolicy(composed.policy);
    expect([composed.unfit, errors]).toEqual([[], []]);
    expect(warnings.filter((text) => /secret|reach|network/.test(text))).toEqual([]);
    expect(tool.strategy).toBe(name === 'web_fetch' ? 'fetch' : 'ghost');
  });

  test('A-236: has no network device, reaches what its page says and nothing else, and has the secrets for that alone', () => {
    const definition = composed.policy.tools.get(name);
    expect(definition).toMatchObject({ network: 'none', unmasked: false });
    const { allow, routes } = definition?.reach ?? { allow: [], routes: [] };
    const secrets = Object.fromEntries(definition?.secrets ?? []);
    expect({ allow: allow.map(({ to }) => to), routes, secrets }).toEqual(reached[name]);
    // Without its network in policy.yaml the file is faulty, and the tool is not there.
    const without = composePolicy('version: 1\nrules: []\ncomplete: true\n', 'policy.yaml', additions);
    const isThere = 'policy' in without && without.policy.tools.has(name);
    expect(isThere).toBe(tool.network === undefined);
  });

  test('A-236: what its page says of gateway.yaml has every secret and route that it needs', () => {
    const [, text = ''] = /## For gateway.yaml\n\n```\n([\s\S]*?)```/.exec(documentation) ?? [];
    const raw = (parse(text) ?? {}) as Record<string, unknown>;
    const [secrets, routes] = [secretsSchema.parse(raw['secrets']), routesSchema.parse(raw['routes'])];
    const networks = [...(composed.policy.networks?.values() ?? [])];
    expect(Object.keys(routes)).toEqual(networks.flatMap((network) => network.routes));
    const needed = [
      ...(composed.policy.tools.get(name)?.secrets.values() ?? []),
      ...toRoutes(routes, (path) => path).flatMap((route) => plannedRoute(route).secrets),
    ];
    expect(Object.keys(secrets)).toEqual(needed);
  });

  test('has commands that run, that ask and that are refused', () => {
    expect(new Set(rows.map(([, action]) => action))).toEqual(new Set(['allow', 'ask', 'deny']));
  });

  test.each(rows)('%s: %s', (line, action) => {
    const [command = '', ...args] = line.split(' ');
    const facts = { agent: 'coder', tool: command, args, uid: 1000, gid: 1000, cwd: '/app' };
    expect(decide(composed.policy, facts).action).toBe(action);
  });
});

function read(name: string) {
  const result = parseToolFile(readFileSync(join(folder, `${name}.md`), 'utf8'), `${name}.md`, name);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.file;
}

/** The tool with what its page says of policy.yaml. */
function composedOf(name: string) {
  return composedFrom(read(name));
}

function composedFrom(file: ReturnType<typeof read>) {
  const [, rules = ''] = /```yaml\n([\s\S]*?)```/.exec(file.documentation) ?? [];
  const text = `version: 1\n${rules}complete: true\n`;
  const composed = composePolicy(text, 'policy.yaml', { toolFiles: [[file]] });
  if ('problems' in composed) throw new Error(composed.problems.join('\n'));
  return composed;
}
