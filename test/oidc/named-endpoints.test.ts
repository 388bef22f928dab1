import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { IdentityProvider, Provided } from '../../gateway/ports/identity-provider.ts';
import { watchConnections } from '../fixtures/connections-tried.ts';
import { allForbidden } from '../fixtures/forbidden-places.ts';
import { type Asked, askProvider, valueOf } from './asked-provider.ts';

type Ask = (asked: Asked, provider: IdentityProvider) => Promise<Provided<unknown>>;

const redeem: Ask = async ({ begin }, provider) => await provider.redeem(await begin());

const endpoints: Readonly<Record<string, Ask>> = {
  token_endpoint: async (_, provider) => await provider.redeemDevice('x'),
  device_authorization_endpoint: async (_, provider) => await provider.beginDevice(),
  jwks_uri: redeem,
  userinfo_endpoint: redeem,
};

/** A provider that names places of others, and one of those. */
async function start(mayBePrivate = false) {
  const other = createServer((socket) => socket.destroy()).listen(0, '::');
  await once(other, 'listening');
  const asked = await askProvider({ private: mayBePrivate });
  onTestFinished(async () => {
    await asked[Symbol.asyncDispose]();
    other.close();
  });
  // Without groups in the token, what is besides is asked for.
  asked.company.members.set('1', { preferred_username: 'ann' });
  asked.company.atKeyboard = '1';
  const own = new URL(asked.company.issuer).port;
  const { port } = other.address() as AddressInfo;
  const connections = watchConnections();
  onTestFinished(() => connections[Symbol.dispose]());
  /** What an ask by one endpoint came to, and connections to others than the provider itself. */
  const ask = async (endpoint: string, url: string | undefined) => {
    asked.company.metadata = url === undefined ? {} : { [endpoint]: url };
    connections.take();
    const provider = await asked.hasty(3000);
    const provided = await endpoints[endpoint]?.(asked, provider);
    const elsewhere = connections.take().filter((to) => to !== `127.0.0.1 ${own}`);
    return { provided, elsewhere };
  };
  return { ...{ asked, ask, port, own } };
}

test.each(Object.keys(endpoints))(
  'A-636 P16: a provider whose %s is at an address that is not public is refused, and nobody is connected to',
  async (endpoint) => {
    const { ask, port, own } = await start();
    for (const scheme of ['https', 'http'])
      for (const where of allForbidden(port)) {
        const { provided, elsewhere } = await ask(endpoint, `${scheme}://${where}`);
        expect([where, elsewhere, provided]).toEqual([
          ...[where, []],
          { refused: expect.stringContaining('leads elsewhere'), isOver: false },
        ]);
      }
    // At its own host and port it is asked.
    const there = await ask(endpoint, `http://127.0.0.1:${own}/elsewhere`);
    expect(there.provided).not.toMatchObject({ refused: expect.stringContaining('leads elsewhere') });
  },
);

test('A-636: endpoints at the host and port of the issuer are asked, and with private: true others by TLS', async () => {
  const { ask, port } = await start(true);
  for (const endpoint of ['device_authorization_endpoint', 'jwks_uri', 'userinfo_endpoint'])
    valueOf((await ask(endpoint, undefined)).provided as Provided<unknown>);
  const there = await ask('token_endpoint', `https://127.0.0.2:${port}/`);
  expect(there.elsewhere).toEqual([`127.0.0.2 ${port}`]);
  const byName = await ask('token_endpoint', `https://localhost:${port}/`);
  expect(byName.elsewhere.length).toBeGreaterThan(0);
  for (const refused of [`http://127.0.0.2:${port}/`, 'https://169.254.169.254/', 'https://0xa9fea9fe/']) {
    const { elsewhere, provided } = await ask('token_endpoint', refused);
    expect([elsewhere, provided]).toEqual([
      ...[[], { refused: expect.stringContaining('leads elsewhere'), isOver: false }],
    ]);
  }
});
