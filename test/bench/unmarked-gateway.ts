import { registerHooks } from 'node:module';

// The null gateway as it would be if nothing in it knew of traces: its marks do nothing.
const unmarked = `
const none = {};
export const createTrace = () => ({ mark: () => {}, beganAt: 0, elapsed: () => 0, times: () => none });
`;
registerHooks({
  load: (url, context, next) =>
    url.endsWith('/gateway/execution/trace.ts')
      ? { format: 'module', shortCircuit: true, source: unmarked }
      : next(url, context),
});
await import('./null-gateway.ts');
