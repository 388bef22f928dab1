import { type Endpoint, parseEndpoint } from '../egress/endpoint.ts';
import { strictObject } from './check-shape.ts';
import { parsedField } from './fields.ts';

const proxyField = parsedField(parseProxy, 'http://HOST:PORT');

export const egressSchema = strictObject({ proxy: proxyField.optional() }).prefault({});

function parseProxy(text: string): Endpoint | undefined {
  const authority = /^http:\/\/([^/]+)\/?$/.exec(text)?.[1];
  return authority === undefined ? undefined : parseEndpoint(authority);
}
