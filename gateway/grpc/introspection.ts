import { join } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { packageRoot } from '../../src/package-root.ts';

const files = ['execution', 'relay', 'warden'].map((name) => `clawrden/v1/${name}.proto`);
const services = ['ExecutionService', 'RelayService', 'WardenService'].map((name) => `clawrden.v1.${name}`);

/** Server reflection (v1 and v1alpha) and `grpc.health.v1`, which reports SERVING until it is told otherwise. */
export function addIntrospection(server: Server): { readonly notServing: () => void } {
  const names = ['', ...services];
  const health = new HealthImplementation(
    Object.fromEntries(names.map((name) => [name, 'SERVING' as const])),
  );
  health.addToServer(server);
  const definition = loadSync(files, { includeDirs: [join(packageRoot(), 'proto')] });
  new ReflectionService(definition, { services }).addToServer(server);
  return {
    notServing: () => {
      for (const name of names) health.setStatus(name, 'NOT_SERVING');
    },
  };
}
