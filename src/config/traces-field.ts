import { strictObject } from './check-shape.ts';
import { parsedField } from './fields.ts';

const collectorField = parsedField(
  collectorUrl,
  'where a collector takes OTLP over HTTP, like http://127.0.0.1:4318/v1/traces',
);

/** `traces` of gateway.yaml and relay.yaml. */
export const tracesField = strictObject({ otlp: collectorField }).optional();

/** Without a name and a password: the log has the address. */
function collectorUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+\/[^#\\\s]*$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
