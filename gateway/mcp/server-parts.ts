import type { Faults } from '../../src/faults.ts';
import type { Detached } from '../ports/detached.ts';
import type { McpCall } from '../ports/mcp-door.ts';
import type { Principal } from '../ports/principal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Pace } from './look-on.ts';
import type { OpenCalls } from './open-calls.ts';

/** What one request is served with. */
export interface ServerParts {
  readonly caller: Principal;
  /** What the caller sees. */
  readonly warden: WardenApi;
  readonly detached: Detached;
  readonly openCalls: OpenCalls;
  readonly pace: Pace;
  readonly drained: McpCall['drained'];
  /** Of 2026-07-28, where a client that leaves has canceled its request. */
  readonly isModern: boolean;
  /** Of a client of 2025. */
  readonly session: string | undefined;
  readonly version: string;
  readonly faults: Faults;
}
