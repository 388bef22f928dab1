import type { Server } from '@grpc/grpc-js';
import { addHealth } from './health.ts';
import { addReflection } from './reflection.ts';

const services = ['ExecutionService', 'RelayService', 'WardenService'].map((name) => `clawrden.v1.${name}`);

/** Server reflection (v1 and v1alpha) and `grpc.health.v1`, which reports SERVING until it is told otherwise. */
export function addIntrospection(server: Server): { readonly notServing: () => void } {
  addReflection(server, services);
  return addHealth(server, ['', ...services]);
}
