import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { CliError } from '../reach/cli-error.ts';
import { fetchQuestion } from './show-question.ts';

/** Says before anything is sent why a yes to this question cannot hold for a while. What waits no more is for the gateway to say. */
export async function checkGrant(client: GatewayClient, id: string): Promise<void> {
  const { noGrant = '' } = (await fetchQuestion(client, id)) ?? {};
  if (noGrant === '') return;
  throw new CliError('approve', `not for a while: ${noGrant}`, 'approve it once, without --for');
}
