import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Vite asks for a default export here. Where the files go is said by scripts/build-web.mjs.
export default defineConfig({
  root: at('.'),
  plugins: [react(), tailwind()],
  resolve: { alias: { '@service/client': at('../client/src/index.ts') } },
  build: {
    target: 'es2022',
    // Addresses with data: would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    // The polyfill is for browsers that lack what the app needs anyway.
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      input: { app: at('app.html'), site: at('src/site/site.ts') },
      // On a busy machine they would be in the output of every start.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // What public pages call the API with stays as small as it is.
            { name: 'calls', test: /client\/src\/(?:connect|errors)\.ts$/, priority: 1 },
            // What nearly every screen needs is one file: a file for each piece is larger, and takes a request each.
            {
              name: 'common',
              test: /web\/src\/(?:ui\/|data\/paged)|use(?:Mutation|InfiniteQuery)\.js$/,
              minShareCount: 6,
            },
          ],
        },
      },
    },
  },
});
