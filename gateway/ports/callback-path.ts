/** Where a provider sends a browser back to, at the HTTP door. */
export const callbackPath = '/oidc/callback';
