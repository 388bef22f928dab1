import { EngineBroke } from '../../../src/container/engine-broke.ts';

const form = /^[0-9a-f]{12,64}$/;

/** What an engine has just made, if its id is one: it ends in paths, records and logs. */
export function withId<Made extends { readonly id: unknown }>(made: Made): Made {
  if (typeof made.id === 'string' && form.test(made.id)) return made;
  throw new EngineBroke('its engine names what it made by no id');
}
