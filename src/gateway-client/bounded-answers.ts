import { ExecutionServiceService } from '../gen/clawrden/v1/execution.ts';
import { RelayServiceService } from '../gen/clawrden/v1/relay.ts';
import { decodeFew } from '../wire/few-values.ts';

/** A page has half a mebibyte at most, and a value two bytes at least. */
const ofPage = 256 * 1024;
const { carry, wayOut } = RelayServiceService;
const mostValues: ReadonlyMap<string, number> = new Map([
  [ExecutionServiceService.execute.path, 64],
  [carry.path, 4],
  [wayOut.path, 4],
]);

interface Answered<Response> {
  readonly path: string;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

/** Decodes what a gateway answers; throws if a message has more values than one of a gateway, whatever they are. */
export function boundedAnswers<Response>(method: Answered<Response>): (bytes: Buffer) => Response {
  const most = mostValues.get(method.path) ?? ofPage;
  return (bytes) => decodeFew(bytes, most, method.responseDeserialize).message;
}
