import { describe, expect, test } from 'vitest';
import { leavesOf } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Policy } from '../policy.ts';
import { decide } from './decide.ts';
import { decidedLine } from './decided-line.fixture.ts';

const parsed = new Map<string, Policy>();

function load(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  parsed.set(text, result.policy);
  return result.policy;
}

/** All of the tool is allowed but for these `args`. */
function isDenied(tool: string, args: readonly string[], line: readonly string[]): boolean {
  const text = `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: one, tools: [${tool}], args: ${JSON.stringify(args)}, action: deny }
complete: true
`;
  const policy = parsed.get(text) ?? load(text);
  const facts = { agent: 'a', tool, args: line, uid: 1000, gid: 1000, cwd: '/app' };
  return decide(policy, facts).action === 'deny';
}

const lists = [...knownTools.entries()].flatMap(([tool, { subcommands }]) =>
  leavesOf(subcommands).flatMap(({ name, spellings, lists: some = [] }) =>
    some.map((list) => ({ tool, name, spellings, ...list })),
  ),
);
const { resources } = knownTools.get('kubectl')?.subcommands?.get('delete') ?? {};
const kinds = [...new Set(resources?.names.values())];

describe('A-435: an operand of a list is that operand, whatever stands before it', () => {
  // Of cargo it may be an alias; these of kubectl are also done to what no line names.
  const isOpen = (tool: string, name: string) =>
    (tool === 'cargo' && name === 'remove') || (tool === 'kubectl' && /^(?:drain|certificate)/.test(name));

  test.each(lists)('A-464 of $tool $name', ({ tool, name, spellings, from, only = '' }) => {
    const given = only.startsWith('-') ? [only] : [];
    const before = Array<string>(from - 1).fill('o');
    if (only !== '' && given.length === 0) before[0] = only;
    const [said = []] = spellings;
    for (const words of spellings) {
      const line = (...list: string[]) => [...words, ...given, ...before, ...list];
      const named = [...said, ...before, 'x', '**'];
      for (const list of [['x'], ['a', 'x'], ['a', 'x', 'b'], ['a', 'b', 'x']])
        expect([list, isDenied(tool, named, line(...list))]).toEqual([list, true]);
      expect(isDenied(tool, [...said, ...before, 'x'], line('a', 'x'))).toBe(true);
      if (isOpen(tool, name)) continue;
      expect(isDenied(tool, named, line('a', 'b'))).toBe(false);
      // What names no operand of the list is not about lines that have one.
      expect(isDenied(tool, [...said, ...before], line('a'))).toBe(false);
    }
  });

  test.each(kinds)('of a kind of kubectl: %s', (...names) => {
    for (const [at, written] of names.entries()) {
      const named = ['delete', names[(at + 1) % names.length] ?? '', 'prod', '**'];
      for (const line of [
        [written, 'dev', 'prod'],
        [written, 'dev', 'prod', 'x'],
        [`${written}/dev`, `${written}/prod`],
        [`${written}/dev`, `bindings/x`, `${written}/prod`, `${written}/x`],
        [`bindings,${written}`, 'dev', 'prod'],
      ])
        expect([line, isDenied('kubectl', named, ['delete', ...line])]).toEqual([line, true]);
      expect(isDenied('kubectl', named, ['delete', written, 'dev', 'x'])).toBe(false);
    }
  });

  test.each([
    ['kubectl scale --replicas 0 deploy/a deploy/web', '[scale, deployments, web, "**"]'],
    ['kubectl delete ns/dev ns/prod', '[delete, ns/prod, "**"]'],
    ['kubectl set image deploy/a deploy/web a=b', '[set, image, deployments, web, "**"]'],
    ['kubectl apply view-last-applied secret a web', '[get, secrets, web, "**"]'],
    ['kubectl -n x delete ns dev -v 1 prod', '[delete, namespace, prod, "**"]'],
    ['docker rm -f a prod-db', '[container, rm, prod-db, "**"]'],
    ['docker volume rm a prod', '[volume, rm, prod, "**"]'],
    ['git branch -D a main', '[branch, -D, main, "**"]'],
    ['git push origin a main', '[push, origin, main, "**"]'],
    ['pip uninstall -y a b', '[uninstall, b, "**"]'],
    ['npm i a evil', '[install, evil, "**"]'],
    ['go env -w A=1 GOFLAGS=-toolexec=/app/x', '[env, -w, "GOFLAGS=*", "**"]'],
    ['git fetch --multiple origin evil', '[fetch, evil, "**"]'],
    ['git fetch origin -m evil x', '[fetch, evil, "**"]'],
    ['git fetch -m --no-multiple origin a main', '[fetch, origin, main, "**"]'],
    ['git remote set-branches origin a b', '[remote, set-branches, origin, b, "**"]'],
    ['git notes remove a b', '[notes, remove, b, "**"]'],
    ['docker trust signer remove k a b', '[trust, signer, remove, k, b, "**"]'],
    ['pip lock a evil', '[install, evil, "**"]'],
  ])('%s is denied by %s', (line, args) => {
    expect(decidedLine(line, `name: no, args: ${args}, action: deny`, 'name: all, action: allow')).toBe(
      'deny',
    );
  });

  test.each([
    ['git push origin prod', '[push, prod, "**"]'],
    ['git fetch origin main', '[fetch, main, "**"]'],
    ['git notes copy a b', '[notes, copy, b, "**"]'],
    ['kubectl get pods secrets', '[get, secrets, "**"]'],
    ['docker exec a web', '[exec, web, "**"]'],
    ['docker rm web', '[rm]'],
    ['npm install x', '[install]'],
    ['make all', '[]'],
  ])('%s is not denied by %s', (line, args) => {
    expect(decidedLine(line, `name: no, args: ${args}, action: deny`, 'name: all, action: allow')).toBe(
      'allow',
    );
  });
});

test.each(['deny', 'ask'])('A-214 A-435: a goal of make is one behind others, too: %s', (action) => {
  const said = (line: string) =>
    decidedLine(line, `name: one, args: [deploy, "**"], action: ${action}`, 'name: all, action: allow');
  for (const line of ['make all deploy', 'make V=1 all deploy', 'make all V=1 x deploy -k', 'make deploy'])
    expect([line, said(line)]).toEqual([line, action]);
  expect(said('make all test')).toBe('allow');
});

test('A-435: an allow goes by what is written', () => {
  const rule = 'name: some, args: [rm, web, "**"], action: allow';
  expect(decidedLine('docker rm web a', rule)).toBe('allow');
  expect(decidedLine('docker rm a web', rule)).toBe('deny');
});
