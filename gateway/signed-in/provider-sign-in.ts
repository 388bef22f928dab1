import { addressKey } from '../connections/address-key.ts';
import { createCallBudget } from '../connections/call-budget.ts';
import { createWrongTries, tryFrom } from '../connections/wrong-tries.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { IdentityProvider, Provided, ProviderClaims } from '../ports/identity-provider.ts';
import { type ProviderSignIn, refusedHere, type ShownCode } from '../ports/provider-sign-in.ts';
import type { SignedInPerson, SignIns } from '../ports/signed-in.ts';
import type { BrowserSignIn } from './browser-sign-in.ts';

export interface ProviderSignInParts {
  readonly provider: IdentityProvider;
  readonly signIns: Pick<SignIns, 'signIn'>;
  readonly enrolment: Pick<Enrolment, 'certify'>;
  readonly browser: BrowserSignIn;
}

/** Of one source; a program that waits for a person at a device asks every few seconds. */
const rate = { atOnce: 60, perSecond: 1 };

const tooLate = 'the sign-in took more than 10 minutes, or was used; begin again';

/** Bounds what one source may ask for, and how often it may be wrong. */
interface Bounds {
  readonly charge: (from: string) => void;
  readonly tried: <Value>(from: string, attempt: () => Promise<Provided<Value>>) => Promise<Provided<Value>>;
}

export function createProviderSignIn({
  provider,
  signIns,
  enrolment,
  browser,
}: ProviderSignInParts): ProviderSignIn {
  const { charge, tried } = createBounds();

  async function personOf(shown: ShownCode, from: string): Promise<Provided<SignedInPerson | 'pending'>> {
    const claims: Provided<ProviderClaims | 'pending'> =
      'deviceCode' in shown ? await provider.redeemDevice(shown.deviceCode) : await provider.redeem(shown);
    if ('refused' in claims || claims.value === 'pending') return claims as Provided<'pending'>;
    return refusedHere(await signIns.signIn(claims.value, from));
  }

  return {
    beginBrowser: async (leaving, from) => {
      charge(from);
      return await browser.begin(leaving, from);
    },
    finishBrowser: (secret, returned, from) =>
      tried(from, async () => {
        const begun = browser.take(secret, returned);
        if (begun === undefined) return { refused: tooLate, isOver: true };
        const person = await personOf(begun, from);
        if ('refused' in person || person.value === 'pending') return person as Provided<never>;
        return await browser.open(person.value, from, begun.session);
      }),
    authorizationUrl: async (begun, from) => {
      charge(from);
      return await provider.authorizationUrl(begun);
    },
    beginDevice: async (from) => {
      charge(from);
      return await provider.beginDevice();
    },
    certify: (shown, request, from) =>
      tried(from, async () => {
        const provided = await personOf(shown, from);
        if ('refused' in provided || provided.value === 'pending') return provided as Provided<'pending'>;
        const { value: person } = provided;
        const certified = await enrolment.certify(person.name, request, {
          by: `oidc:${person.subject}`,
          from,
        });
        return 'refused' in certified ? refusedHere(certified) : { value: { ...certified.value, person } };
      }),
  };
}

function createBounds(): Bounds {
  const budget = createCallBudget('sign-ins', rate);
  const tries = createWrongTries();

  const charge = (from: string) => budget.charge(addressKey(from));

  async function tried<Value>(
    from: string,
    attempt: () => Promise<Provided<Value>>,
  ): Promise<Provided<Value>> {
    charge(from);
    const isWrong = (provided: Provided<Value>) => 'refused' in provided && provided.isOver;
    return tryFrom(tries, { from, what: 'sign-ins', attempt, isWrong });
  }

  return { charge, tried };
}
