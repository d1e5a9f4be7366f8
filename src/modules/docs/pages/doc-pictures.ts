import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import { lookup } from 'mrmime';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../../site/site.errors.js';

const DIRECTORY = 'docs/pictures';
/** `npm run diagrams` draws them. */
const DIAGRAMS = 'docs/diagrams';
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
  private readonly paths = pathsOfPictures();
  private readonly kept = new Map<string, DocPicture>();

  /** @throws {PageNotFound} `page_not_found` */
  get(name: string): DocPicture {
    const path = this.paths.get(name);
    if (path === undefined) throw new PageNotFound();
    let picture = this.kept.get(name);
    if (picture === undefined) {
      picture = {
        contentType: lookup(name) ?? 'application/octet-stream',
        content: readFileSync(path),
      };
      this.kept.set(name, picture);
    }
    return picture;
  }

  /** Returns the address of the picture that a Markdown file names, or undefined when there is no such picture. */
  addressOf(from: string, href: string): string | undefined {
    const target = posix.normalize(posix.join(posix.dirname(from), href));
    const name = posix.basename(target);
    return target === `${DIRECTORY}/${name}` && this.paths.has(name) ? `/docs/pictures/${name}` : undefined;
  }

  /** Returns the address of the picture of a Mermaid diagram, which is named by the hash of its source. */
  addressOfDiagram(source: string): string | undefined {
    const name = `${createHash('sha256').update(source.trim()).digest('hex').slice(0, 16)}.svg`;
    return this.paths.has(name) ? `/docs/pictures/${name}` : undefined;
  }
}

function pathsOfPictures(): ReadonlyMap<string, string> {
  return new Map(
    [DIRECTORY, DIAGRAMS]
      .map((directory) => join(PROJECT_ROOT, directory))
      .filter((directory) => existsSync(directory))
      .flatMap((directory) => readdirSync(directory).map((name) => [name, join(directory, name)] as const))
      .filter(([name]) => IS_PICTURE.test(name)),
  );
}
