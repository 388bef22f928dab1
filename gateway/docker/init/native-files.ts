import { readFileSync } from 'node:fs';
import { nativeFile } from '../../../src/native-file.ts';

/** Our static programs for a host. */
export interface NativeFiles {
  readonly init: Buffer;
  readonly carrier: Buffer;
}

/** Those of this package. Throws a line that says how to build what is missing. */
export function nativeFiles(): NativeFiles {
  const read = (name: string) => readFileSync(nativeFile(name));
  return { init: read('clawrden-init'), carrier: read('clawrden-carrier') };
}
