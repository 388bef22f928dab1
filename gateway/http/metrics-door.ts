import type { Logger } from 'pino';
import type { ListenAddress } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import { metricsType, type RouteName, routes } from '../../src/http-api/routes.ts';
import { readJsonBody } from '../connections/read-json-body.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { createDoor } from './door.ts';
import { type MonitorHandlers, monitorHandlers } from './monitor-handlers.ts';
import type { HttpPace } from './node-server.ts';
import { HttpRefused } from './problem.ts';

const names = ['health', 'ready', 'metrics'] as const satisfies (RouteName & keyof MonitorHandlers)[];
const limits = { connections: 64, perAddress: 64 };
/** Every program of this machine may ask, as often as it likes: figures are made once in this time. */
const freshMs = 1000;

export interface MetricsDoorParts {
  readonly warden: WardenApi;
  readonly pace: HttpPace;
  readonly faults: Faults;
  readonly log: Logger;
}

/** What a monitor of this machine reads without a token. */
export async function openMetricsDoor(listen: ListenAddress, { warden, ...parts }: MetricsDoorParts) {
  const handlers = monitorHandlers(warden);
  const answers: MonitorHandlers = { ...handlers, metrics: fresh(handlers.metrics) };
  const http = { listen, trustProxy: [] };
  const callers = { mayConnect: () => true, chargeStranger: () => {} };
  const bodies = { read: async (_request: unknown, bytes: Buffer) => readJsonBody(bytes) };
  const own = names.map((name) => routes[name]);
  const door = createDoor({ http, limits, callers, routes: own, bodies, ...parts });
  for (const name of names) {
    const { method, path: url } = routes[name];
    door.app.route({
      ...{ method, url },
      handler: async (request, reply) => {
        if (request.url !== url) throw new HttpRefused(400, `${url} takes no query`);
        const answer = answers[name]();
        if (typeof answer === 'string') reply.type(metricsType);
        return reply.send(answer);
      },
    });
  }
  return { port: await door.open(), close: door.close };
}

function fresh(make: () => string): () => string {
  let [text, madeAt] = ['', Number.NEGATIVE_INFINITY];
  return () => {
    const now = performance.now();
    if (now - madeAt >= freshMs) [text, madeAt] = [make(), now];
    return text;
  };
}
