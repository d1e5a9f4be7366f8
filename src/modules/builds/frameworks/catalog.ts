import { angular } from './angular.js';
import { astro } from './astro.js';
import { createReactApp } from './create-react-app.js';
import { django } from './django.js';
import { docusaurus } from './docusaurus.js';
import { eleventy } from './eleventy.js';
import { expo } from './expo.js';
import { express } from './express.js';
import { fastapi } from './fastapi.js';
import { fastify } from './fastify.js';
import { flask } from './flask.js';
import { gatsby } from './gatsby.js';
import { h3 } from './h3.js';
import { hexo } from './hexo.js';
import { hono } from './hono.js';
import { koa } from './koa.js';
import { nestjs } from './nestjs.js';
import { nextjs } from './nextjs.js';
import { nitro } from './nitro.js';
import { node } from './node.js';
import { nuxt } from './nuxt.js';
import { parcel } from './parcel.js';
import { type Detection, type Preset } from './preset.js';
import { python } from './python.js';
import { qwik } from './qwik.js';
import { reactRouter } from './react-router.js';
import { remix } from './remix.js';
import { rsbuild } from './rsbuild.js';
import { solidstart } from './solidstart.js';
import { type Source } from './source.js';
import { staticSite } from './static.js';
import { storybook } from './storybook.js';
import { sveltekit } from './sveltekit.js';
import { tanstackStart } from './tanstack-start.js';
import { vite } from './vite.js';
import { vitepress } from './vitepress.js';
import { vueCli } from './vue-cli.js';
import { vuepress } from './vuepress.js';

/**
 * All presets in the order of detection. Frameworks that are built on others come before them: SvelteKit before Vite,
 * and everything before plain Node and static files.
 */
export const PRESETS: readonly Preset[] = [
  django,
  nextjs,
  expo,
  nuxt,
  reactRouter,
  remix,
  sveltekit,
  solidstart,
  tanstackStart,
  astro,
  qwik,
  gatsby,
  docusaurus,
  vitepress,
  vuepress,
  hexo,
  eleventy,
  angular,
  nestjs,
  nitro,
  createReactApp,
  vueCli,
  storybook,
  vite,
  parcel,
  rsbuild,
  flask,
  fastapi,
  hono,
  express,
  fastify,
  koa,
  h3,
  python,
  node,
  staticSite,
];

/** Finds a preset by its own name, or by the name that vercel.json has for it. */
export const presetNamed = (name: string): Preset | null =>
  PRESETS.find((preset) => preset.name === name || preset.aliases?.includes(name) === true) ?? null;

export const detectPreset = (source: Source): Preset | null =>
  PRESETS.find(({ detect }) => isDetected(detect, source)) ?? null;

function isDetected({ packages, files, when }: Detection, source: Source): boolean {
  const hasNames = packages !== undefined || files !== undefined;
  const isNamed =
    source.uses(...(packages ?? [])) ||
    (files ?? []).some((file) => source.has(file) || source.configFile(file) !== null);
  return (!hasNames || isNamed) && (when?.(source) ?? true);
}
