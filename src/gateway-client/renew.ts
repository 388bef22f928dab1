import { RelayServiceService } from '../gen/clawrden/v1/relay.ts';
import { makeCertificateRequest } from '../pki/certificate-request.ts';
import { stageIdentityFile, takeStagedIdentity } from '../pki/identity-files.ts';
import type { GatewayClient } from './connect-gateway.ts';

/**
 * Lets the gateway sign a new key for the relay that `client` is, and writes both over those in `identityDir`. If the
 * gateway refuses, rejects with a gRPC `ServiceError`, else with Node's own error; the old identity then stays as it
 * was.
 */
export async function renew(client: Pick<GatewayClient, 'call'>, identityDir: string): Promise<void> {
  const { request: certificateRequest, key } = await makeCertificateRequest();
  const { certificate, certificateAuthority } = await client.call(RelayServiceService.renew, {
    certificateRequest,
  });
  await stageIdentityFile(identityDir, 'key', key);
  await stageIdentityFile(identityDir, 'authority', certificateAuthority);
  await stageIdentityFile(identityDir, 'certificate', certificate);
  await takeStagedIdentity(identityDir);
}
