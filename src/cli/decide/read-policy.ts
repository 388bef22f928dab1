import type { LoadedWhole } from '../../policy/file/load-whole.ts';

/**
 * The policy in `file` with the tool files of a folder, or every reason why it does not load. Loads the parsers only now, because the CLI must start
 * without them.
 */
export async function readPolicy(
  file: string,
  folder?: string,
): Promise<LoadedWhole | { readonly problems: readonly string[] }> {
  const [{ loadWhole }, { ConfigError }] = await Promise.all([
    import('../../policy/file/load-whole.ts'),
    import('../../config/config-error.ts'),
  ]);
  try {
    return loadWhole(file, folder);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}
