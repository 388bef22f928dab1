import type { Decision } from '../policy.ts';

/** The line that the refused caller reads: the reason, the rule, and what to do instead. */
export function denialText({ rule, reason, code, instead }: Decision): string {
  const by = code === 'denied-by-rule' ? ` (rule ${rule})` : '';
  const advice = instead ?? advices[code ?? ''];
  return `${reason}${by}${advice === undefined ? '' : `; ${advice}`}`;
}

const advices: Readonly<Record<string, string>> = {
  'denied-by-rule': 'find another way, or ask who keeps the policy',
  'denied-by-default': 'ask who keeps the policy to add a rule',
  'tool-unknown': 'use a tool of /clawrden/bin, by its plain name',
};
