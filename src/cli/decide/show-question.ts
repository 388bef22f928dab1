import { type ServiceError, status } from '@grpc/grpc-js';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Approval, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { printJson } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { readContext } from '../reach/context.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { approvalJson, listWaiting, printApproval } from './show-approval.ts';
import { notePrinted } from './shown-questions.ts';

/** The beginning of an approval's id; the id of an execution has a dash after its eighth digit. */
const idDigits = /^[0-9a-f]{1,32}$/;

/**
 * Prints the only question whose id begins with this, and notes that it was shown; false if no such question waits.
 */
export async function showQuestion(
  client: GatewayClient,
  beginning: string,
  options: GatewayOptions,
): Promise<boolean> {
  if (!idDigits.test(beginning)) return false;
  const { rows } = await listWaiting(client);
  const found = rows.filter(({ id }) => id.startsWith(beginning));
  if (found.length > 1)
    throw new CliError('show', `${found.length} questions begin with ${beginning}`, 'give more of its id');
  const question = found[0] && (await fetchQuestion(client, found[0].id));
  if (question === undefined) return false;
  if (options.json === true) printJson(approvalJson(question));
  else printApproval(question);
  await notePrinted(readContext(options.context), [question]);
  return true;
}

/** With its plan; `undefined` if it waits no more. */
export async function fetchQuestion(client: GatewayClient, id: string): Promise<Approval | undefined> {
  try {
    return (await client.call(WardenServiceService.getApproval, { id })).approval;
  } catch (error) {
    if ((error as Partial<ServiceError>).code === status.NOT_FOUND) return undefined;
    throw error;
  }
}
