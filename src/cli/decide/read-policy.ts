import type { PolicyResult } from '../../policy/policy.ts';

/**
 * The policy in `file`, or every reason why it does not load. Loads the parsers only now, because the CLI must start
 * without them.
 */
export async function readPolicy(file: string): Promise<PolicyResult> {
  const [{ loadPolicy }, { ConfigError }] = await Promise.all([
    import('../../policy/file/parse-policy.ts'),
    import('../../config/config-error.ts'),
  ]);
  try {
    return { policy: loadPolicy(file) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}
