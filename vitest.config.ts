import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,gateway,shim,test}/**/*.test.ts'],
    exclude: ['test/{e2e,lab,conformance,scenarios}/**'],
    testTimeout: 20_000,
  },
});
