import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Blobs } from '../site/blobs.js';
import type { SiteFile } from '../site/site.js';
import { type ByteRange, type Encoding, keyOf } from '../store/artifact-store.js';
import { acceptedEncodings, matchesTag, wantedRange } from './content-negotiation.js';

const FOR_EVER = 'public, max-age=31536000, immutable';
/** A page shows what is deployed now, so it is asked for again; with its tag that costs no body. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

type Headers = readonly (readonly [string, string])[];

/** One form of a file, with everything that its answers have in common. */
interface Representation {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  readonly headers: string[];
}

interface Prepared {
  readonly plain: Representation;
  readonly br: Representation | undefined;
  readonly gzip: Representation | undefined;
}

export interface FileAnswer {
  readonly file: SiteFile;
  readonly status: 200 | 404;
  readonly modifiedAt: Date;
  /** What the deploy adds; it may replace ours. */
  readonly extra: Headers;
}

/** Answers GET and HEAD by a file of a deploy. */
@Injectable()
export class StaticFiles {
  private readonly prepared = new WeakMap<SiteFile, Prepared>();

  constructor(private readonly blobs: Blobs) {}

  /** Undefined when the answer is on its way; else a promise that rejects when the store fails before or while it is sent. */
  answer(request: IncomingMessage, response: ServerResponse, answer: FileAnswer): Promise<void> | undefined {
    const prepared = this.preparedOf(answer);
    if (answer.status === 404) return this.send(request, response, { chosen: prepared.plain, status: 404, extra: answer.extra });

    const { range } = request.headers;
    // Ranges count the bytes of the file itself.
    const chosen = range === undefined ? choose(prepared, acceptedEncodings(request.headers['accept-encoding'])) : prepared.plain;
    if (isFresh(request, chosen.etag, answer.modifiedAt)) {
      response.writeHead(304, merged(chosen.headers, answer.extra).filter((_, index, all) => !isOfBody(all[index - (index % 2)]!)));
      response.end();
      return undefined;
    }
    const part = range === undefined || !rangeHolds(request, chosen.etag, answer.modifiedAt) ? undefined : wantedRange(range, chosen.bytes);
    if (part === 'unsatisfiable') {
      response.writeHead(416, ['Content-Range', `bytes */${chosen.bytes}`, 'Content-Length', '0']);
      response.end();
      return undefined;
    }
    return this.send(request, response, { chosen, status: part === undefined ? 200 : 206, extra: answer.extra, ...(part === undefined ? {} : { part }) });
  }

  private send(request: IncomingMessage, response: ServerResponse, { chosen, status, extra, part }: Sending): Promise<void> | undefined {
    const head = (): void => {
      const length = part === undefined ? chosen.bytes : part.end - part.start + 1;
      const headers = merged(chosen.headers, extra);
      response.writeHead(status, part === undefined ? headers.concat('Content-Length', String(length))
        : headers.concat('Content-Length', String(length), 'Content-Range', `bytes ${part.start}-${part.end}/${chosen.bytes}`));
    };
    if (request.method === 'HEAD' || chosen.bytes === 0) {
      head();
      response.end();
      return undefined;
    }
    const known = this.blobs.known(chosen.key);
    if (known !== undefined) {
      head();
      response.end(part === undefined ? known : known.subarray(part.start, part.end + 1));
      return undefined;
    }
    return this.fetchAndSend(response, { chosen, ...(part === undefined ? {} : { part }) }, head);
  }

  private async fetchAndSend(response: ServerResponse, { chosen, part }: { chosen: Representation; part?: ByteRange }, head: () => void): Promise<void> {
    if (this.blobs.isSmall(chosen.bytes)) {
      const whole = await this.blobs.whole(chosen.key);
      head();
      response.end(part === undefined ? whole : whole.subarray(part.start, part.end + 1));
      return;
    }
    const stream = await this.blobs.stream(chosen.key, part);
    if (response.destroyed) {
      stream.destroy();
      return;
    }
    head();
    await pipeline(stream, response).catch((error: unknown) => {
      // The caller went away, or the store failed in the middle: either way the connection is the only thing left to close.
      response.destroy();
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }

  private preparedOf({ file, modifiedAt }: FileAnswer): Prepared {
    let prepared = this.prepared.get(file);
    if (prepared === undefined) {
      const varies = file.br !== undefined || file.gzip !== undefined;
      const make = (bytes: number, encoding?: Encoding): Representation => representation({ file, modifiedAt, bytes, varies, encoding });
      prepared = {
        plain: make(file.bytes),
        br: file.br === undefined ? undefined : make(file.br, 'br'),
        gzip: file.gzip === undefined ? undefined : make(file.gzip, 'gzip'),
      };
      this.prepared.set(file, prepared);
    }
    return prepared;
  }
}

interface Sending {
  readonly chosen: Representation;
  readonly status: number;
  readonly extra: Headers;
  readonly part?: ByteRange;
}

interface Making {
  readonly file: SiteFile;
  readonly modifiedAt: Date;
  readonly bytes: number;
  readonly varies: boolean;
  readonly encoding: Encoding | undefined;
}

function representation({ file, modifiedAt, bytes, varies, encoding }: Making): Representation {
  const etag = `"${file.sha256.slice(0, 32)}${encoding === undefined ? '' : `-${encoding}`}"`;
  return {
    key: keyOf(file.sha256, encoding),
    bytes,
    etag,
    headers: [
      'Content-Type', file.type,
      'ETag', etag,
      'Last-Modified', modifiedAt.toUTCString(),
      'Cache-Control', file.immutable ? FOR_EVER : REVALIDATE,
      'X-Content-Type-Options', 'nosniff',
      'Accept-Ranges', 'bytes',
      ...(varies ? ['Vary', 'Accept-Encoding'] : []),
      ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
    ],
  };
}

function choose({ plain, br, gzip }: Prepared, accepted: readonly Encoding[]): Representation {
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

/** `If-Range`: a part is of use only to whoever has the rest of the same file. */
function rangeHolds({ headers }: IncomingMessage, etag: string, modifiedAt: Date): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === etag || condition === modifiedAt.toUTCString();
}

const isOfBody = (name: string): boolean => name === 'Content-Type' || name === 'Content-Encoding' || name === 'Accept-Ranges';

/** Ours, with those of the deploy in their place. */
function merged(ours: string[], extra: Headers): string[] {
  if (extra.length === 0) return ours;
  const theirs = new Set(extra.map(([name]) => name.toLowerCase()));
  return [
    ...ours.filter((_, index) => !theirs.has(ours[index - (index % 2)]!.toLowerCase())),
    ...extra.flat(),
  ];
}
