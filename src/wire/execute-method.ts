import { ExecuteRequest, ExecuteResponse, ExecutionServiceService } from '../gen/clawrden/v1/execution.ts';

/**
 * `Execute` without the copy that generated serializers make of every message. What is decoded from it holds views
 * into the received message.
 */
export const executeMethod = {
  ...ExecutionServiceService.execute,
  requestSerialize: (value: ExecuteRequest): Buffer => view(ExecuteRequest.encode(value).finish()),
  responseSerialize: (value: ExecuteResponse): Buffer => view(ExecuteResponse.encode(value).finish()),
} as const;

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
