import { expect, test } from 'vitest';
import { reasonIn } from './agent-reason.ts';

test.each<readonly [readonly string[], string]>([
  [[], ''],
  [['A=1', 'CLAWRDEN_REASON=to fix = it', 'CLAWRDEN_REASON=other'], 'to fix = it'],
  [['XCLAWRDEN_REASON=no'], ''],
  [[`CLAWRDEN_REASON=${'\u{1f600}'.repeat(600)}`], '\u{1f600}'.repeat(500)],
])('A-67: what an agent says is its first 500 characters (%#)', (env, said) => {
  expect(reasonIn(env)).toBe(said);
});
