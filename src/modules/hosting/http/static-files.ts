import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { type BlobContents, Blobs } from '../site/blobs.js';
import type { RawHeaders, Representation, Representations, SiteFile } from '../site/site-file.js';
import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import type { Encoding } from '../store/content-keys.js';
import { acceptedEncodings, matchesTag, wantedRange } from './content-negotiation.js';

type Headers = readonly (readonly [string, string])[];

export interface FileAnswer {
  readonly file: SiteFile;
  readonly status: 200 | 404;
  readonly modifiedAt: Date;
  /** The headers of the deploy, which may replace those of the platform. */
  readonly extra: Headers;
}

/** Answers GET and HEAD requests with a file of a deploy. */
@Injectable()
export class StaticFiles {
  constructor(private readonly blobs: Blobs) {}

  /**
   * Returns undefined when the answer was sent at once. Otherwise returns a promise that rejects when the storage fails
   * before or during sending.
   */
  answer(request: IncomingMessage, response: ServerResponse, answer: FileAnswer): Promise<void> | undefined {
    const prepared = answer.file.representations(answer.modifiedAt);
    if (answer.status === 404)
      return this.send(request, response, { chosen: prepared.plain, status: 404, extra: answer.extra });

    const { range } = request.headers;
    // Ranges count the bytes of the uncompressed file.
    const chosen =
      range === undefined ? choose(prepared, acceptedEncodings(request.headers['accept-encoding'])) : prepared.plain;
    if (isFresh(request, chosen.etag, answer.modifiedAt)) {
      response.writeHead(
        304,
        merged(chosen.headers, answer.extra).filter((_, index, all) => !isOfBody(all[index - (index % 2)]!)),
      );
      response.end();
      return undefined;
    }
    const part =
      range === undefined || !rangeHolds(request, chosen.etag, answer.modifiedAt)
        ? undefined
        : wantedRange(range, chosen.bytes);
    if (part === 'unsatisfiable') {
      response.writeHead(416, ['Content-Range', `bytes */${chosen.bytes}`, 'Content-Length', '0']);
      response.end();
      return undefined;
    }
    return this.send(request, response, {
      chosen,
      status: part === undefined ? 200 : 206,
      extra: answer.extra,
      ...(part === undefined ? {} : { part }),
    });
  }

  private send(
    request: IncomingMessage,
    response: ServerResponse,
    { chosen, status, extra, part }: Sending,
  ): Promise<void> | undefined {
    const head = (): void => {
      if (part === undefined && extra.length === 0) {
        response.writeHead(status, chosen.wholeHeaders as string[]);
        return;
      }
      const length = part === undefined ? chosen.bytes : part.end - part.start + 1;
      const headers = merged(chosen.headers, extra);
      response.writeHead(
        status,
        part === undefined
          ? headers.concat('Content-Length', String(length))
          : headers.concat(
              'Content-Length',
              String(length),
              'Content-Range',
              `bytes ${part.start}-${part.end}/${chosen.bytes}`,
            ),
      );
    };
    if (request.method === 'HEAD' || chosen.bytes === 0) {
      head();
      response.end();
      return undefined;
    }
    const known = this.blobs.known(chosen.key);
    if (known !== undefined) {
      head();
      response.end(partOf(known, part), 'latin1');
      return undefined;
    }
    return this.fetchAndSend(response, { chosen, ...(part === undefined ? {} : { part }) }, head);
  }

  private async fetchAndSend(
    response: ServerResponse,
    { chosen, part }: { chosen: Representation; part?: ByteRange },
    head: () => void,
  ): Promise<void> {
    if (this.blobs.isSmall(chosen.bytes)) {
      const whole = await this.blobs.whole(chosen.key);
      head();
      response.end(partOf(whole, part), 'latin1');
      return;
    }
    const stream = await this.blobs.stream(chosen.key, part);
    if (response.destroyed) {
      stream.destroy();
      return;
    }
    head();
    await pipeline(stream, response).catch((error: unknown) => {
      // The caller has left, or the storage failed in the middle of the answer. The connection can only be closed.
      response.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }
}

interface Sending {
  readonly chosen: Representation;
  readonly status: number;
  readonly extra: Headers;
  readonly part?: ByteRange;
}

function partOf(content: BlobContents, part: ByteRange | undefined): BlobContents {
  if (part === undefined) return content;
  return typeof content === 'string'
    ? content.slice(part.start, part.end + 1)
    : content.subarray(part.start, part.end + 1);
}

function choose({ plain, br, gzip }: Representations, accepted: readonly Encoding[]): Representation {
  for (const encoding of accepted) {
    const found = encoding === 'br' ? br : gzip;
    if (found !== undefined) return found;
  }
  return plain;
}

function isFresh({ headers }: IncomingMessage, etag: string, modifiedAt: Date): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return matchesTag(tags, etag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= Math.floor(modifiedAt.getTime() / 1000) * 1000;
}

/** With `If-Range`, a part is useful only to a caller that has the rest of the same file. */
function rangeHolds({ headers }: IncomingMessage, etag: string, modifiedAt: Date): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === etag || condition === modifiedAt.toUTCString();
}

const isOfBody = (name: string): boolean =>
  name === 'Content-Type' || name === 'Content-Encoding' || name === 'Accept-Ranges';

/** Returns the platform's headers, replaced by those of the deploy where both set one. */
function merged(ours: RawHeaders, extra: Headers): RawHeaders {
  if (extra.length === 0) return ours;
  const theirs = new Set(extra.map(([name]) => name.toLowerCase()));
  return [...ours.filter((_, index) => !theirs.has(ours[index - (index % 2)]!.toLowerCase())), ...extra.flat()];
}
