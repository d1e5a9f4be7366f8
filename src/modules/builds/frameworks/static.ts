import { forAnotherHost } from './other-hosts.js';
import { isForAnotherLanguage } from './other-languages.js';
import { type Preset } from './preset.js';

/** Packages that find out in the browser what an address means. */
const BROWSER_ROUTERS = [
  'umi',
  '@umijs/max',
  'react-router',
  'react-router-dom',
  '@tanstack/react-router',
  '@reach/router',
  'wouter',
  'vue-router',
  '@solidjs/router',
  'preact-router',
  'preact-iso',
  'svelte-routing',
  '@vaadin/router',
  'navigo',
  'aurelia-router',
];

/** The framework of sites that no other preset knows: any build that leaves pages, or pages without a build. */
export const staticSite: Preset = {
  name: 'static',
  title: 'Static files',
  detect: {
    when: (source) =>
      (source.entries.some((name) => /\.html?$/i.test(name)) ||
        source.has('public') ||
        source.script('build') !== undefined) &&
      !isForAnotherLanguage(source),
    condition:
      'HTML files, a `public` directory, or a `build` script, and with files of another language an `index.html`',
  },
  build: null,
  modes: [
    forAnotherHost((source) => source.script('build') === undefined && !source.has('index.html')),
    {
      kind: 'site',
      outputs: ['dist', 'build', 'out', '_site', 'www', 'doc_build', 'public'],
      buildsBesidePages: true,
      fallback: (source) =>
        source.script('build') !== undefined && source.uses(...BROWSER_ROUTERS) ? 'index.html' : null,
    },
  ],
};
