import { expect, test } from 'vitest';
import { decidedLine } from './decided-line.fixture.ts';

const denied = (line: string, rule: string) =>
  decidedLine(line, `name: no, ${rule}, action: deny`, 'name: all, action: allow') === 'deny';

// Each manual says that the one means the other.
test.each([
  ['kubectl get secrets -A', 'args: ["**", -n, prod, "**"]'],
  ['kubectl delete pods --all --all-namespaces', 'args: ["**", --namespace, prod, "**"]'],
  ['kubectl get pods -A', 'args: ["**", "--namespace=prod", "**"]'],
  ['kubectl get pods -A', 'flags: [-n]'],
  ['kubectl cp prod/web:/x .', 'args: ["**", -n, prod, "**"]'],
  ['kubectl cp x prod/web:/x', 'args: ["**", "--namespace=prod", "**"]'],
  ['kubectl cp x prod/web:/x', 'flags: [--namespace]'],
  ['git push --force-with-lease=main:OLD origin main', 'args: [push, --force, "**"]'],
  ['git push --force-with-lease origin main', 'flags: [--force]'],
  ['git push --force-with-lease origin main', 'flags: [-f]'],
  ['git send-pack --force-with-lease=main:OLD . main', 'args: [push, --force, "**"]'],
  ['cargo build --all', 'flags: [--workspace]'],
  ['cargo test --workspace', 'flags: [--all]'],
  ['git -P log', 'flags: [--no-pager]'],
  ['git --no-pager log', 'flags: [-P]'],
  ['find . -wholename x', 'flags: [-path]'],
  ['find . -ipath x', 'flags: [-iwholename]'],
  ['find . -mount', 'flags: [-xdev]'],
  ['find . -name a -and -name b', 'flags: [-a]'],
  ['find . -name a -o -name b', 'flags: [-or]'],
  ['find . -d', 'flags: [-depth]'],
])('A-437 P7: %s is denied by %s', (line, rule) => {
  expect(denied(line, rule)).toBe(true);
});

test.each([
  ['kubectl get pods -n dev', 'args: ["**", -n, prod, "**"]'],
  ['kubectl cp dev/web:/x .', 'args: ["**", -n, prod, "**"]'],
  ['kubectl cp web:/prod/x: .', 'flags: [-n]'],
  ['kubectl cp ./prod/x:y web:/x', 'flags: [-n]'],
  ['git push --no-force-with-lease origin main', 'flags: [--force]'],
])('A-437 A-34: %s is not denied by %s', (line, rule) => {
  expect(denied(line, rule)).toBe(false);
});

test('A-437: an allow by a flag that means another one is as it was', () => {
  const rule = 'name: lease, tools: [git], flags: [--force-with-lease], action: allow';
  expect(decidedLine('git push --force-with-lease origin x', rule)).toBe('allow');
  expect(decidedLine('git push --force origin x', rule)).toBe('deny');
});
