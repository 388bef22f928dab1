export { createMcpHandler } from '@modelcontextprotocol/server';
export { makeServer } from './make-server.ts';
