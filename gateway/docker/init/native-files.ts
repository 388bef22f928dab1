import { readFileSync } from 'node:fs';
import { nativeFile } from '../../../src/native-file.ts';

/** Our static programs for a host. */
export interface NativeFiles {
  readonly init: Buffer;
  readonly connect: Buffer;
  readonly carrier: Buffer;
}

/** Those for a processor, as Node calls it (`x64`). Throws a line that says how to build what is missing. */
export type NativeFilesFor = (processor: string) => NativeFiles;

/** Throws at once if those for this machine's own processor are missing. */
export function openNativeFiles(): NativeFilesFor {
  const own = read(process.arch);
  return (processor) => (processor === process.arch ? own : read(processor));
}

function read(processor: string): NativeFiles {
  const bytes = (name: string) => readFileSync(nativeFile(name, processor));
  return {
    init: bytes('clawrden-init'),
    connect: bytes('clawrden-connect'),
    carrier: bytes('clawrden-carrier'),
  };
}
