import type { Request } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';
import { ServiceUnavailable } from '../errors/platform.errors.js';
import { PayloadTooLarge, RequestTimeout } from './http.errors.js';

interface Bounds {
  /** The largest size of one body. */
  readonly limitBytes: number;
  /** The most bytes that may be held for all unfinished bodies together. */
  readonly totalBytes: number;
  /** How many bodies one address may send at a time. */
  readonly placesByAddress: number;
  /** The time within which a body must arrive completely. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5_000;

/**
 * Reads bodies whose signature can be checked only once they are complete, so that any caller may send them. A body has
 * five seconds, and an address has a few places. The shared limit is on the memory that bodies really use, not on their
 * number, so slow senders cannot exhaust what others need.
 */
export class UnsignedBodies {
  private readonly senders = new Map<string, number>();
  private heldBytes = 0;

  constructor(private readonly bounds: Bounds) {}

  /**
   * Returns the bytes of a body as they were sent.
   * @param address the sender, for the limit by address.
   * @throws {PayloadTooLarge} `payload_too_large`
   * @throws {RequestTimeout} `request_timeout`
   * @throws {ServiceUnavailable} `service_unavailable` when the address, or all senders together, have sent too much at
   * once.
   */
  async read(request: Request, address: string): Promise<Buffer> {
    const { limitBytes, placesByAddress } = this.bounds;
    if (Number(request.headers['content-length'] ?? 0) > limitBytes)
      throw leaveUnread(request, new PayloadTooLarge(limitBytes));
    const senders = this.senders.get(address) ?? 0;
    if (senders >= placesByAddress)
      throw leaveUnread(
        request,
        new ServiceUnavailable(new Error(`${placesByAddress} unsigned bodies from one address are being read.`)),
      );
    this.senders.set(address, senders + 1);
    const body = { chunks: [] as Buffer[], bytes: 0 };
    try {
      await this.receive(request, body);
      return Buffer.concat(body.chunks);
    } finally {
      this.heldBytes -= body.bytes;
      const left = this.senders.get(address)! - 1;
      if (left === 0) this.senders.delete(address);
      else this.senders.set(address, left);
    }
  }

  private receive(request: Request, body: { readonly chunks: Buffer[]; bytes: number }): Promise<void> {
    const { limitBytes, totalBytes, deadlineMs = DEADLINE_MS } = this.bounds;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        request.off('data', take).off('end', end).off('close', hangUp).off('error', hangUp);
        if (error === undefined) {
          resolve();
          return;
        }
        reject(leaveUnread(request, error));
      };
      const take = (chunk: Buffer): void => {
        body.chunks.push(chunk);
        body.bytes += chunk.length;
        this.heldBytes += chunk.length;
        if (body.bytes > limitBytes) settle(new PayloadTooLarge(limitBytes));
        else if (this.heldBytes > totalBytes)
          settle(new ServiceUnavailable(new Error('Unsigned bodies take all the memory that they may take.')));
      };
      const end = (): void => {
        settle();
      };
      const hangUp = (): void => {
        settle(new CallerHungUp());
      };
      const timer = setTimeout(() => {
        settle(new RequestTimeout());
      }, deadlineMs);
      request.on('data', take).once('end', end).once('close', hangUp).once('error', hangUp);
    });
  }
}

/** The rest of the body is not waited for: the connection ends with the response. */
function leaveUnread(request: Request, error: Error): Error {
  request.pause();
  if (request.res?.headersSent === false) request.res.setHeader('connection', 'close');
  return error;
}
