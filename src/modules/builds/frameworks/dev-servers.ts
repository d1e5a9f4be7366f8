/** Packages of HTTP servers: with one of them, a `start` script runs the project's own server. */
export const SERVER_PACKAGES = [
  'express',
  'fastify',
  'koa',
  'hono',
  '@hono/node-server',
  'h3',
  '@nestjs/core',
  '@hapi/hapi',
  'polka',
  'restify',
  'socket.io',
  'ws',
  'apollo-server',
  '@apollo/server',
  'graphql-yoga',
  '@feathersjs/feathers',
  'micro',
  'srvx',
];

/** Programs that serve a directory or a project that is being developed. A deploy never runs them. */
const DEV_SERVERS = new Set([
  'ng',
  'vite',
  'react-scripts',
  'react-app-rewired',
  'craco',
  'vue-cli-service',
  'webpack-dev-server',
  'serve',
  'http-server',
  'live-server',
  'lite-server',
  'browser-sync',
  'parcel',
  'gulp',
  'grunt',
  'gatsby',
  'docusaurus',
  'eleventy',
  'vitepress',
  'vuepress',
  'hexo',
  'storybook',
  'start-storybook',
  'astro',
  'expo',
  'rsbuild',
  'snowpack',
  'ember',
  'stencil',
]);
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  webpack: /\b(?:serve|server|--watch)\b/,
  next: /\bdev\b/,
  nuxt: /\bdev\b/,
  nitro: /\bdev\b/,
  vinxi: /\bdev\b/,
  wrangler: /\bdev\b/,
};
const RUNNERS = new Set(['npx', 'cross-env', 'env', 'exec', 'dotenv', 'pnpm', 'yarn', 'bunx', '--']);

/** True for a script that starts a server for development or for a directory of files. */
export function isDevServer(script: string): boolean {
  const last = script.slice(0, 2_000).split(/&&|;/).at(-1)!.trim();
  const words = last.split(/\s+/).filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word) && !RUNNERS.has(word));
  const program = words[0]?.split('/').at(-1)?.split('@')[0] ?? '';
  return DEV_SERVERS.has(program) || (SUBCOMMANDS[program]?.test(last) ?? false);
}
