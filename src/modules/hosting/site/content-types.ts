import { lookup } from 'mrmime';

const UNKNOWN = 'application/octet-stream';

/** Types that the table lacks, or for which browsers expect another value. */
const OWN: Readonly<Record<string, string>> = {
  cjs: 'text/javascript',
  map: 'application/json',
  mts: 'text/plain',
  ts: 'video/mp2t',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
  avif: 'image/avif',
  ico: 'image/x-icon',
  rsc: 'text/x-component',
  md: 'text/markdown',
  txt: 'text/plain',
};

const IS_TEXT = new RegExp(
  '^(?:text/|application/(?:javascript|json|manifest\\+json|xml|xhtml\\+xml|wasm$|ld\\+json|vnd\\.ms-fontobject)|' +
    'image/svg\\+xml|font/(?:ttf|otf)|[^;]+\\+(?:xml|json)$)',
);
const TAKES_CHARSET = /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml|xhtml\+xml)|image\/svg\+xml)/;

/** Derives the type only from the name, so that the content of a file cannot change how a browser treats it. */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  // What has no extension in a site is a page or a document of `.well-known`, most of them JSON or text.
  const extension = dot === -1 ? '' : name.slice(dot + 1).toLowerCase();
  const type = OWN[extension] ?? (extension === '' ? undefined : lookup(extension)) ?? UNKNOWN;
  return TAKES_CHARSET.test(type) ? `${type}; charset=utf-8` : type;
}

/** True when files of this type are worth compressing. */
export const isText = (path: string): boolean => IS_TEXT.test(contentTypeOf(path).replace(/;.*/, ''));
