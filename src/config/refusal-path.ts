import { join } from 'node:path';

/** The file in a relay's state that says why the gateway that answered last is refused; absent if it is not. */
export function refusalPath(state: string): string {
  return join(state, 'gateway-refused.txt');
}
