/** What an API token may be for. */
export const tokenRoles = ['orchestrator', 'viewer', 'agent'] as const;

/** How long what an earlier text of a token says may count beside the new one. */
export const mostOverlapSeconds = 30 * 86_400;

/** Of a person or an API token. */
export const mostTtlSeconds = 100 * 366 * 86_400;

/** Of why somebody does something, in UTF-16 units, at every door: each is in the audit whole, and in lists. */
export const longestReason = 1024;
