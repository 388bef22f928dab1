import type * as peculiar from '@peculiar/x509';

/**
 * The package that reads and makes certificates. It is loaded when one is asked for: some 200 files, which
 * few starts of a program need.
 */
export async function x509(): Promise<typeof peculiar> {
  // What it is made of wants this to be there first.
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}
