import type { Action } from '../../policy/policy.ts';
import type { Color } from './cells.ts';

export const decisionColors: Readonly<Record<Action, Color>> = { allow: 'green', ask: 'yellow', deny: 'red' };
