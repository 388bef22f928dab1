import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { CliError } from '../reach/cli-error.ts';
import { fetchQuestion } from './show-question.ts';

/**
 * Before anything is sent, says why a yes to this question cannot hold for a while. If the question waits no more,
 * the gateway says so.
 */
export async function checkGrant(client: GatewayClient, id: string): Promise<void> {
  const { noGrant = '' } = (await fetchQuestion(client, id)) ?? {};
  if (noGrant === '') return;
  throw new CliError('approve', `not for a while: ${noGrant}`, 'approve it once, without --for');
}
