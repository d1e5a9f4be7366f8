import type { ManifestFile } from '../ingest/manifest.js';
import { type Encoding, keyOf } from '../store/content-keys.js';

const FOR_EVER = 'public, max-age=31536000, immutable';
/** Browsers revalidate a page on every visit, so that it shows the current deploy. With its ETag that sends no body. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

/** Names and values of headers in turn, in the form in which they are written. */
export type RawHeaders = readonly string[];

/** One encoding of a file, with everything that its answers have in common. */
export interface Representation {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  /** The headers of every answer with this representation. */
  readonly headers: RawHeaders;
  /** The headers of an answer with the complete content. */
  readonly wholeHeaders: RawHeaders;
}

export interface Representations {
  readonly plain: Representation;
  readonly br: Representation | undefined;
  readonly gzip: Representation | undefined;
}

/** A file that is served under one path. */
export class SiteFile {
  private made: Representations | undefined;

  /** @param isImmutable is true when the name contains a hash of the content. */
  constructor(
    private readonly file: ManifestFile,
    private readonly type: string,
    readonly isImmutable: boolean,
  ) {}

  /** @param modifiedAt is the time of the deploy, which never changes. */
  representations(modifiedAt: Date): Representations {
    this.made ??= {
      plain: this.make(modifiedAt, this.file.bytes, undefined),
      br: this.file.br === undefined ? undefined : this.make(modifiedAt, this.file.br, 'br'),
      gzip: this.file.gzip === undefined ? undefined : this.make(modifiedAt, this.file.gzip, 'gzip'),
    };
    return this.made;
  }

  private make(modifiedAt: Date, bytes: number, encoding: Encoding | undefined): Representation {
    const { sha256, br, gzip } = this.file;
    const etag = `"${sha256.slice(0, 32)}${encoding === undefined ? '' : `-${encoding}`}"`;
    const headers = [
      'Content-Type',
      this.type,
      'ETag',
      etag,
      'Last-Modified',
      modifiedAt.toUTCString(),
      'Cache-Control',
      this.isImmutable ? FOR_EVER : REVALIDATE,
      'X-Content-Type-Options',
      'nosniff',
      'Accept-Ranges',
      'bytes',
      ...(br === undefined && gzip === undefined ? [] : ['Vary', 'Accept-Encoding']),
      ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
    ];
    return {
      key: keyOf(sha256, encoding),
      bytes,
      etag,
      headers,
      wholeHeaders: [...headers, 'Content-Length', String(bytes)],
    };
  }
}
