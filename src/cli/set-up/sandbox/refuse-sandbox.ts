import { refuse } from '../agent/run/refuse.ts';

export const command = 'sandbox';

export function refuseSandbox(why: string, toDo: string) {
  return refuse(why, toDo, command);
}
