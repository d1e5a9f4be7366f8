import type { Request } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';
import { ServiceUnavailable } from '../errors/platform.errors.js';
import { PayloadTooLarge, RequestTimeout } from './http.errors.js';

interface Bounds {
  /** Of one body. */
  readonly limitBytes: number;
  /** Of all bodies that are being read, as far as they have come. */
  readonly totalBytes: number;
  /** Bodies that one address may be sending at a time. */
  readonly placesByAddress: number;
  /** In which a body must have come whole. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5_000;

/**
 * Reads bodies whose signature can be checked only once they are whole, so that anybody may send them. A body has five
 * seconds; an address has a few places; and what is bounded for all together is the memory that bodies really take, not
 * their number. So slow senders hold next to nothing, and never what others need.
 */
export class UnsignedBodies {
  private readonly senders = new Map<string, number>();
  private heldBytes = 0;

  constructor(private readonly bounds: Bounds) {}

  /**
   * The bytes of a body as they were sent.
   *
   * @param address by what the sender is counted.
   * @throws {PayloadTooLarge} `payload_too_large`
   * @throws {RequestTimeout} `request_timeout`
   * @throws {ServiceUnavailable} `service_unavailable`: the address, or all senders together, have sent too much at
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

/** What is still to come is not waited for: the connection ends with the answer. */
function leaveUnread(request: Request, error: Error): Error {
  request.pause();
  if (request.res?.headersSent === false) request.res.setHeader('connection', 'close');
  return error;
}
