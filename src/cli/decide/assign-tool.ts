import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import {
  type AssignToolRequest,
  type UnassignToolRequest,
  WardenServiceService,
} from '../../gen/clawrden/v1/warden.ts';
import { renderText } from '../../text/render-text.ts';
import { printJson, printLine } from '../print/output.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

export async function assignTool(
  client: GatewayClient,
  request: AssignToolRequest,
  { json }: GatewayOptions,
): Promise<void> {
  const { rule, warnings } = await client.call(WardenServiceService.assignTool, request);
  if (json === true) return printJson({ rule, warnings });
  for (const warning of warnings) printLine(['warning', 'yellow'], `  ${renderText(warning)}`);
  printLine(`${request.allow ? 'allowed' : 'asked about'} by the rule ${renderText(rule)}`);
}

export async function unassignTool(
  client: GatewayClient,
  request: UnassignToolRequest,
  { json }: GatewayOptions,
): Promise<void> {
  const { rule } = await client.call(WardenServiceService.unassignTool, request);
  if (json === true) return printJson({ rule });
  printLine(`the rule ${renderText(rule)} is gone`);
}
