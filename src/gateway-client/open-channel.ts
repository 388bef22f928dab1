import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { type ChannelOptions, Client, credentials, type VerifyOptions } from '@grpc/grpc-js';
import { GuardedCredentials } from './guarded-credentials.ts';

/** PEM. Without `certificate` and `key` the server learns nothing about the client. */
export interface ClientTls {
  readonly authority: Buffer | string;
  readonly certificate?: Buffer;
  readonly key?: Buffer;
}

const options: ChannelOptions = {
  // Both sides ping, so a frozen peer is noticed within 13 s; without pings never.
  'grpc.keepalive_time_ms': 8_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Ends the connection before the gateway does, which closes it after 30 s without a call. The next call connects
  // again.
  'grpc.client_idle_timeout_ms': 20_000,
  'grpc-node.flow_control_window': 1024 * 1024,
  'grpc.max_receive_message_length': 2 * 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.max_reconnect_backoff_ms': 10_000,
  // An execution starts at most once, and nothing on the way may change the destination of a call.
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
};

/** Trusts `authority` alone, TLS 1.3 only, whatever the environment says about certificates. Connects lazily. */
export function openChannel(address: string, tls: ClientTls): Client {
  const context = createSecureContext({
    ca: tls.authority,
    ...(tls.certificate !== undefined && { cert: tls.certificate }),
    ...(tls.key !== undefined && { key: tls.key }),
    minVersion: 'TLSv1.3',
  });
  const host = address.replace(/:\d+$/, '').replaceAll(/^\[|\]$/g, '');
  const byAddress = isIP(host) !== 0;
  const verify: VerifyOptions = {
    // Set explicitly, so that it outranks NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ...(byAddress && { checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate) }),
  };
  return new Client(address, new GuardedCredentials(credentials.createFromSecureContext(context, verify)), {
    ...options,
    // grpc-js would put the address into the server name indication, where only names are allowed.
    ...(byAddress && { 'grpc.ssl_target_name_override': 'gateway.invalid' }),
  });
}
