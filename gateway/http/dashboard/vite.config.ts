import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../../build/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined file would be a data: address, which the pages may not load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: [`${import.meta.dirname}/index.html`, `${import.meta.dirname}/terminal.html`] },
  },
});
