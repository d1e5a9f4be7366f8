import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { headOfAnswer } from './answer-head.js';
import { refuse, type Refusal } from './error-pages.js';
import { MAX_INFORMATIONAL, PROXY_TIMES } from './proxy-limits.js';

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Starts a request to the app, without its body. With `isFresh` it uses a new connection. */
  readonly open: (isFresh: boolean) => ClientRequest;
  /** Headers of the deploy, which replace those of the app. */
  readonly extraHeaders?: readonly (readonly [string, string])[];
  /** Takes over an upgraded connection. Returns false when the app was not asked for this upgrade. */
  readonly upgrade?: (answer: IncomingMessage, other: Duplex, head: Buffer) => boolean;
  /** Called before the platform answers for the app. */
  readonly onRefusal: () => void;
  /** Called for an unexpected error: a fault of the proxy, which an app may trigger but cannot exploit. */
  readonly onFault: (error: unknown) => void;
}

/** These errors mean that a kept connection was closed, or received leftover bytes, just when it was reused. */
const STALE = /^(?:ECONNRESET$|EPIPE$|HPE_)/;

/**
 * One request to an app and its answer. Whatever the app sends, the visitor gets a complete answer, a 502, or a
 * connection that ends in the middle of an answer, but never bytes of another answer.
 */
export class AppExchange {
  private upstream: ClientRequest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private informational = 0;
  private state: 'waiting' | 'answering' | 'over' = 'waiting';
  private isDraining = false;

  constructor(private readonly parts: ExchangeParts) {}

  start(): void {
    const { response } = this.parts;
    this.timer = setTimeout(
      this.guarded(() => {
        this.fail('app_timeout');
      }),
      PROXY_TIMES.answerWithinMs,
    ).unref();
    response.once(
      'finish',
      this.guarded(() => {
        this.finish();
      }),
    );
    response.once(
      'close',
      this.guarded(() => {
        this.finish();
      }),
    );
    this.guarded(() => {
      this.send(false);
    })();
  }

  private send(isSecondTime: boolean): void {
    const { request, open } = this.parts;
    const hasNoBody = isRepeatable(request);
    const upstream = open(isSecondTime);
    this.upstream = upstream;
    upstream.on(
      'error',
      this.guarded((error: NodeJS.ErrnoException) => {
        if (this.upstream !== upstream) return;
        const isFromBefore = upstream.reusedSocket && STALE.test(error.code ?? '');
        if (!isSecondTime && hasNoBody && isFromBefore && this.state === 'waiting') this.send(true);
        else this.lose();
      }),
    );
    // This also covers a connection that ends without an error, such as one that the app upgrades unasked.
    upstream.once(
      'close',
      this.guarded(() => {
        if (this.upstream === upstream) this.lose();
      }),
    );
    upstream.on(
      'information',
      this.guarded(() => {
        if (++this.informational > MAX_INFORMATIONAL) this.fail('app_failed');
      }),
    );
    upstream.once(
      'upgrade',
      this.guarded((answer: IncomingMessage, other: Duplex, head: Buffer) => {
        this.upgrade(answer, other, head);
      }),
    );
    upstream.once(
      'response',
      this.guarded((answer: IncomingMessage) => {
        this.answer(answer);
      }),
    );
    if (hasNoBody) {
      upstream.end();
      return;
    }
    // The app may answer before the first byte of the body arrives.
    upstream.flushHeaders();
    request.pipe(upstream);
  }

  private answer(answer: IncomingMessage): void {
    const { response } = this.parts;
    answer.on(
      'error',
      this.guarded(() => {
        this.cutOff();
      }),
    );
    const head = headOfAnswer(answer);
    if (this.state !== 'waiting' || head === undefined) {
      this.fail('app_failed');
      return;
    }
    this.state = 'answering';
    this.lastNoLongerThan(PROXY_TIMES.requestLifeMs);
    response.writeHead(head.status, head.reason, withExtra(head.headers, this.parts.extraHeaders ?? []));
    // Flushing the head lets a streamed answer start at once.
    response.flushHeaders();
    answer.once(
      'close',
      this.guarded(() => {
        if (!answer.complete) this.cutOff();
      }),
    );
    answer.pipe(response);
  }

  private upgrade(answer: IncomingMessage, other: Duplex, head: Buffer): void {
    other.on('error', ignore);
    answer.on('error', ignore);
    if (this.state === 'waiting' && this.parts.upgrade?.(answer, other, head) === true) {
      this.state = 'over';
      clearTimeout(this.timer);
      return;
    }
    other.destroy();
    this.fail('app_failed');
  }

  private lastNoLongerThan(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(
      this.guarded(() => {
        this.cutOff();
      }),
      ms,
    ).unref();
  }

  /** Handles a lost connection to the app. An answer that was complete still reaches the visitor. */
  private lose(): void {
    if (this.state === 'waiting') this.fail('app_failed');
  }

  /** Answers in place of the app. If the answer has already started, it is cut off instead. */
  private fail(refusal: Refusal): void {
    const { response, onRefusal } = this.parts;
    if (this.state === 'over') return;
    if (this.state === 'answering' || response.headersSent || response.destroyed) {
      this.cutOff();
      return;
    }
    this.state = 'over';
    clearTimeout(this.timer);
    this.upstream?.destroy();
    onRefusal();
    refuse(response, refusal);
  }

  /** Closes the connection, so that the visitor does not mistake a partial answer for a complete one. */
  private cutOff(): void {
    const { response } = this.parts;
    if (!response.writableFinished) response.destroy();
    this.finish();
  }

  private finish(): void {
    if (this.state !== 'over') this.upstream?.destroy();
    this.state = 'over';
    clearTimeout(this.timer);
    this.drain();
  }

  /**
   * An answer may end before its request. The rest of the request is read and dropped, so that the next request on this
   * connection is found. If the rest does not arrive in time, the connection is closed.
   */
  private drain(): void {
    const { request } = this.parts;
    if (this.isDraining || request.complete || request.destroyed) return;
    this.isDraining = true;
    if (this.upstream !== undefined) request.unpipe(this.upstream);
    request.resume();
    const late = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, PROXY_TIMES.drainWithinMs).unref();
    request.once('close', () => {
      clearTimeout(late);
    });
  }

  private guarded<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (error) {
        this.parts.onFault(error);
        this.parts.response.destroy();
        this.finish();
      }
    };
  }
}

/** A request without a body can be sent again. */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** Cookies are added, and other headers are replaced. */
function withExtra(headers: string[], extra: readonly (readonly [string, string])[]): string[] {
  if (extra.length === 0) return headers;
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()).filter((name) => name !== 'set-cookie'));
  return [...headers.filter((_, index) => !replaced.has(headers[index - (index % 2)]!.toLowerCase())), ...extra.flat()];
}

const ignore = (): void => undefined;
