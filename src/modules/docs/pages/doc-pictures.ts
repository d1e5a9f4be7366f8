import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import { lookup } from 'mrmime';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../../site/site.errors.js';

const DIRECTORY = 'docs/pictures';
const IS_PICTURE = /\.(?:webp|png|svg)$/;

/** A picture as it is sent. */
export interface DocPicture {
  readonly contentType: string;
  readonly content: Buffer;
}

/**
 * The pictures in pages. The list is made once, at start, so that no request becomes a path; each is read when it is
 * first asked for and kept, which takes less than a megabyte in all.
 */
@Injectable()
export class DocPictures {
  private readonly names = namesOfPictures();
  private readonly kept = new Map<string, DocPicture>();

  /** @throws {PageNotFound} `page_not_found` */
  get(name: string): DocPicture {
    if (!this.names.has(name)) throw new PageNotFound();
    let picture = this.kept.get(name);
    if (picture === undefined) {
      picture = {
        contentType: lookup(name) ?? 'application/octet-stream',
        content: readFileSync(join(PROJECT_ROOT, DIRECTORY, name)),
      };
      this.kept.set(name, picture);
    }
    return picture;
  }

  /** Returns the address of the picture that a Markdown file names, or undefined when there is no such picture. */
  addressOf(from: string, href: string): string | undefined {
    const target = posix.normalize(posix.join(posix.dirname(from), href));
    const name = posix.basename(target);
    return target === `${DIRECTORY}/${name}` && this.names.has(name) ? `/docs/pictures/${name}` : undefined;
  }
}

function namesOfPictures(): ReadonlySet<string> {
  const directory = join(PROJECT_ROOT, DIRECTORY);
  return new Set(existsSync(directory) ? readdirSync(directory).filter((name) => IS_PICTURE.test(name)) : []);
}
