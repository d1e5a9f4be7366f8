import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Injectable } from '@nestjs/common';
import { lookup } from 'mrmime';
import { PROJECT_ROOT } from '../../../platform/version.js';

const DIRECTORY = join(PROJECT_ROOT, 'dist/web');

export type Encoding = 'br' | 'gzip';

const SUFFIX: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** A file as it is sent. */
export interface SiteFile {
  readonly contentType: string;
  readonly encoding: Encoding | undefined;
  readonly content: Buffer;
}

/**
 * The files of the built web app. The list is made once, at start, so that no request ever becomes a path; each file is
 * read when it is first asked for and kept, which takes about a megabyte in all.
 */
@Injectable()
export class SiteFiles {
  private readonly names = new Set(namesIn(DIRECTORY));
  private readonly contents = new Map<string, Buffer>();

  /** Returns undefined when there is no such file. The best encoding that the caller accepts is chosen. */
  find(name: string, accepts: readonly Encoding[]): SiteFile | undefined {
    if (!this.names.has(name)) return undefined;
    const encoding = accepts.find((each) => this.names.has(name + SUFFIX[each]));
    return {
      contentType: contentTypeOf(name),
      encoding,
      content: this.read(encoding === undefined ? name : name + SUFFIX[encoding]),
    };
  }

  private read(name: string): Buffer {
    let content = this.contents.get(name);
    if (content === undefined) this.contents.set(name, (content = readFileSync(join(DIRECTORY, name))));
    return content;
  }
}

function namesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^text\/|javascript|json|svg/.test(type) ? `${type}; charset=utf-8` : type;
}
