import type * as peculiar from '@peculiar/x509';

/**
 * The package that reads and makes certificates. It is loaded when one is asked for: a start of any program would take
 * a tenth to a third longer with it.
 */
export async function x509(): Promise<typeof peculiar> {
  // What it is made of wants this to be there first.
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}
