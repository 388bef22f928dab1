import { z } from 'zod';
import { time } from './fields.ts';
import { browserSession } from './session.ts';

const opaque = z.string().regex(/^[\w.~-]{43,128}$/, 'must have 43 to 128 characters of base64url');

const loopbackUri = z
  .string()
  .regex(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d{1,5}\/callback$/, 'must be http://127.0.0.1:PORT/callback');

export const authorizationRequest = z.strictObject({
  redirectUri: loopbackUri.describe('where the program that signs in listens'),
  state: opaque,
  nonce: opaque,
  challenge: opaque.describe('of the PKCE verifier, by S256'),
});

export const authorization = z.strictObject({
  url: z.string().describe('for the browser of the person'),
});

export const provider = z.strictObject({
  available: z.boolean().describe('whether people sign in by a provider (oidc of gateway.yaml)'),
});

export const noDetails = z.strictObject({});

export const deviceAuthorization = z.strictObject({
  deviceCode: z.string().describe('for POST /api/v1/oidc/certificate; show it to nobody'),
  userCode: z.string().describe('what the person types at verificationUri'),
  verificationUri: z.string(),
  verificationUriComplete: z.string().optional(),
  expiresIn: z.number().describe('seconds'),
  interval: z.number().describe('seconds between two tries'),
});

export const certificateRequest = z.strictObject({
  certificateRequest: z.string().min(1).max(2048).describe('PKCS #10 of an EC P-256 key, PEM'),
  returned: z.string().max(3000).optional().describe('the whole address that the browser came back to'),
  state: opaque.optional(),
  nonce: opaque.optional(),
  verifier: opaque.optional(),
  deviceCode: z.string().min(1).max(2048).optional().describe('in place of the four before'),
});

export const certifiedPerson = z.strictObject({
  pending: z.boolean().describe('the person at the device has not answered yet: ask again'),
  person: z.string().optional(),
  rights: browserSession.shape.rights.optional(),
  certificate: z.string().optional().describe('PEM'),
  certificateAuthority: z.string().optional().describe('PEM'),
  grpcPort: z.number().optional().describe('of the listener that takes the certificate'),
  expiresAt: time.optional().describe('when the certificate ends; it is renewed by its use'),
});
