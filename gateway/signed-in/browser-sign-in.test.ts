import { expect, test } from 'vitest';
import { createBrowserSignIn } from './browser-sign-in.ts';

test('A-606 P20: sign-ins that one address begins put out no other’s', async () => {
  const provider = { authorizationUrl: async () => ({ value: 'https://idp.example/' }) };
  // Nobody comes back in this test.
  const nothing = {} as never;
  const { begin, take } = createBrowserSignIn({ provider, sessions: nothing, principals: nothing }, 100);
  const begun = async (from: string): Promise<string> => {
    const answer = await begin({ origin: 'https://warden.example', session: undefined }, from);
    if ('refused' in answer) throw new Error(answer.refused);
    return answer.value.secret;
  };
  const quiet = await begun('192.0.2.1');
  const loud = await begun('192.0.2.2');
  for (let count = 0; count < 100; count += 1) await begun(`192.0.2.${2 + (count % 20)}`);
  expect(take(quiet, '/cb')?.returned.href).toBe('https://warden.example/cb');
  expect(take(loud, '/cb')).toBeUndefined();
});
