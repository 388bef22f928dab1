import { z } from 'zod';
import { parseSshUrl } from '../ssh/ssh-destination.ts';
import { strictObject } from './check-shape.ts';
import { egressSchema } from './egress-fields.ts';
import {
  absolutePathField,
  durationField,
  labelsField,
  listenField,
  nameField,
  networkField,
  originField,
  parsedField,
  parseHostPort,
  pathField,
  sizeField,
  usersField,
} from './fields.ts';
import { notifySchema } from './notify-fields.ts';
import { oidcSchema } from './oidc-fields.ts';
import { routesSchema, secretsSchema } from './route-fields.ts';
import { tracesField } from './traces-field.ts';
import { workspaceField } from './workspace-fields.ts';

const count = (least: number, most: number) => z.int().min(least).max(most);

const serverTls = strictObject({ cert: pathField, key: pathField }).optional();

const notYet = (what: string) =>
  z.undefined({ error: `${what} is not supported yet; leave it out` }).optional();

const limits = strictObject({
  running: count(1, 10_000).default(200),
  queued: count(0, 100_000).default(1000),
  'pending-per-agent': count(1, 1000).default(20),
  'executions-per-agent': count(1, 10_000).default(50),
  'requests-per-second': count(1, 100_000).default(1000),
  'bytes-per-second': sizeField.prefault('4m'),
  connections: count(16, 100_000).default(4096),
  'connections-per-address': count(4, 100_000).default(256),
  'queue-timeout': durationField.prefault('2m'),
  'start-timeout': durationField.prefault('30s'),
  // The gateway must remember an execution id for as long as it accepts that id, which is a day.
  'history-days': count(2, 3650).default(90),
  'history-size': sizeField.prefault('4g'),
});

const host = strictObject({
  name: nameField,
  engine: parsedField(
    (text) => (isEngineUrl(text) ? text : undefined),
    'unix:///PATH, tcp://HOST:PORT or ssh://[USER@]HOST[:PORT][/PATH]',
  ),
  tls: strictObject({ ca: pathField, cert: pathField, key: pathField }).optional(),
  ssh: strictObject({ identity: pathField.optional(), 'known-hosts': pathField.optional() }).optional(),
  labels: labelsField.default({}),
  slots: count(1, 1000).default(8),
  warm: count(0, 1000).default(8),
  starts: count(1, 100).default(3),
  memory: sizeField.optional(),
  cpus: z.number().min(0.1).max(10_000).optional(),
});

const agent = strictObject({
  name: nameField,
  relay: nameField,
  users: usersField,
  labels: labelsField.default({}),
  cwd: absolutePathField.prefault('/app'),
  workspace: workspaceField.optional(),
  hosts: labelsField.default({}),
  network: z.string().min(1).max(63).optional(),
});

/** gateway.yaml as a person writes it. `load-gateway-config.ts` turns it into what the gateway uses. */
export const gatewaySchema = strictObject({
  grpc: strictObject({ listen: listenField.prefault('0.0.0.0:8443'), tls: serverTls }).prefault({}),
  enroll: strictObject({ listen: listenField.prefault('0.0.0.0:8444') }).prefault({}),
  http: strictObject({
    listen: listenField.prefault('127.0.0.1:8080'),
    url: originField.optional(),
    tls: serverTls,
    'metrics-listen': listenField.optional(),
    'trust-proxy': z.array(networkField).min(1).max(64).optional(),
  }).prefault({}),
  state: pathField.default('state'),
  policy: pathField.default('policy.yaml'),
  'tool-files': pathField.optional(),
  audit: pathField.default('audit.jsonl'),
  database: notYet('a shared database'),
  limits: limits.prefault({}),
  warm: z
    .array(strictObject({ agent: nameField, tool: z.string().min(1).max(255), size: count(1, 100) }))
    .default([]),
  notify: notifySchema,
  oidc: oidcSchema,
  session: strictObject({
    idle: durationField.prefault('30m'),
    'max-age': durationField.prefault('24h'),
  }).prefault({}),
  secrets: secretsSchema,
  routes: routesSchema,
  egress: egressSchema,
  traces: tracesField,
  complete: z.literal(true).optional(),
  hosts: z.array(host).default([]),
  agents: z.array(agent).default([]),
});

export type GatewayFile = z.infer<typeof gatewaySchema>;

/** Whether `text` names an engine in one of the three ways. */
export function isEngineUrl(text: string): boolean {
  if (text.startsWith('unix://')) return /^unix:\/\/\/[^\0]{1,107}$/.test(text);
  if (text.startsWith('tcp://')) return (parseHostPort(text.slice('tcp://'.length))?.port ?? 0) > 0;
  return parseSshUrl(text) !== undefined;
}
