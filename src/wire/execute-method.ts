import { ExecuteRequest, ExecuteResponse, ExecutionServiceService } from '../gen/clawrden/v1/execution.ts';

/**
 * The `Execute` method without the copy that generated serializers make of every message. Decoded messages hold views
 * into the received bytes.
 */
export const executeMethod = {
  ...ExecutionServiceService.execute,
  requestSerialize: (value: ExecuteRequest): Buffer => view(ExecuteRequest.encode(value).finish()),
  responseSerialize: (value: ExecuteResponse): Buffer => view(ExecuteResponse.encode(value).finish()),
} as const;

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
