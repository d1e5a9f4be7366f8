import { lookup } from 'mrmime';

const UNKNOWN = 'application/octet-stream';

/** What the table lacks or calls otherwise than browsers expect. */
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

const IS_TEXT =
  /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml|xhtml\+xml|wasm$|ld\+json|vnd\.ms-fontobject)|image\/svg\+xml|font\/(?:ttf|otf)|[^;]+\+(?:xml|json)$)/;
const TAKES_CHARSET = /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml|xhtml\+xml)|image\/svg\+xml)/;

/** By the name, never by the content: what a browser is told must not depend on what somebody could put into a file. */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  // What has no extension in a site is a page or a document of `.well-known`, most of them JSON or text.
  const extension = dot === -1 ? '' : name.slice(dot + 1).toLowerCase();
  const type = OWN[extension] ?? (extension === '' ? undefined : lookup(extension)) ?? UNKNOWN;
  return TAKES_CHARSET.test(type) ? `${type}; charset=utf-8` : type;
}

/** Whether it is worth compressing. */
export const isText = (path: string): boolean => IS_TEXT.test(contentTypeOf(path).replace(/;.*/, ''));
