/** Cases that make no sense in a session, and why. `docs/policy.md`, "Sessions", names each of them. */
export const notInSession: Readonly<Record<string, string>> = {};
