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
  'wp-scripts',
  'ionic',
  'marp',
  'farm',
  'web-ext',
  'netlify',
  'vercel',
  'firebase',
  'fastly',
  'brunch',
  'polymer',
  'preact',
  'sanity',
  'docusaurus-start',
]);
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  webpack: /\b(?:serve|server|--watch)\b/,
  next: /\bdev\b/,
  nuxt: /\bdev\b/,
  nitro: /\bdev\b/,
  vinxi: /\bdev\b/,
  wrangler: /\bdev\b/,
  sapper: /\bdev\b/,
  umi: /\bdev\b/,
  max: /\bdev\b/,
  rspack: /\b(?:serve|dev)\b/,
  turbo: /\bdev\b/,
  nx: /\b(?:serve|dev)\b/,
};
const RUNNERS = new Set(['npx', 'cross-env', 'env', 'exec', 'dotenv', 'pnpm', 'yarn', 'bunx', '--']);

/** Programs that start something else than a server for the web, by the name of what they start. */
const OTHER_PROGRAMS: Readonly<Record<string, string>> = {
  electron: 'an Electron app, which runs on desktops',
  'electron-forge': 'an Electron app, which runs on desktops',
  'electron-vite': 'an Electron app, which runs on desktops',
  electronmon: 'an Electron app, which runs on desktops',
  nw: 'an NW.js app, which runs on desktops',
  tauri: 'a Tauri app, which runs on desktops',
  'react-native': 'a React Native app, which runs on phones',
  cordova: 'a Cordova app, which runs on phones',
  meteor: 'a Meteor app, which needs the tools of Meteor',
  serverless: 'functions of the Serverless Framework',
  sls: 'functions of the Serverless Framework',
  sst: 'functions of SST',
  sam: 'functions for AWS',
  func: 'functions for Azure',
  hardhat: 'a project of smart contracts',
  truffle: 'a project of smart contracts',
  ruby: 'a program of Ruby, which servers do not have',
  bundle: 'a program of Ruby, which servers do not have',
  rails: 'a program of Ruby, which servers do not have',
  php: 'a program of PHP, which servers do not have',
  go: 'a program of Go, which servers do not have',
  cargo: 'a program of Rust, which servers do not have',
  dotnet: 'a program of .NET, which servers do not have',
  java: 'a program of Java, which servers do not have',
  mix: 'a program of Elixir, which servers do not have',
  deno: 'a program for Deno, which servers do not have',
};

/** Names what a script starts that is no server for the web, or null. */
export function otherProgramOf(script: string): string | null {
  const { program } = lastCommand(script);
  return Object.hasOwn(OTHER_PROGRAMS, program) ? OTHER_PROGRAMS[program]! : null;
}

/** True for a script that starts a server for development or for a directory of files. */
export function isDevServer(script: string): boolean {
  const { last, program } = lastCommand(script);
  return DEV_SERVERS.has(program) || (SUBCOMMANDS[program]?.test(last) ?? false);
}

const SCRIPT = /^(?:npm|pnpm|yarn|bun) (?:run )?([\w:-]{1,100})$/;

/** The name of the script that a script runs as its last command, or null. */
export const scriptRunBy = (script: string): string | null => SCRIPT.exec(lastCommand(script).last)?.[1] ?? null;

/** True for the file with which an ejected Create React App, and templates like it, start a development server. */
export const isStartFile = (script: string): boolean =>
  /^node (?:\.\/)?scripts\/start(?:\.[cm]?js)?$/.test(lastCommand(script).last);

/** The last command of a script, and its program without those that only run another one. */
function lastCommand(script: string): { readonly last: string; readonly program: string } {
  const last = script.slice(0, 2_000).split(/&&|;/).at(-1)!.trim();
  const words = last.split(/\s+/).filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word) && !RUNNERS.has(word));
  return { last, program: words[0]?.split('/').at(-1)?.split('@')[0] ?? '' };
}
