import type { Duplex } from 'node:stream';
import { requireStartupLength } from './startup-packet.js';
import { WireRefusal } from './wire-refusal.js';

/** The peer is gone, so that nobody reads an answer. */
export class PeerGone extends Error {
  override readonly name = 'PeerGone';
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const;

export interface WireMessage {
  readonly type: string;
  readonly body: Buffer;
}

/** Reads exactly this many bytes. What follows them stays in the stream. @throws {PeerGone} */
export function readBytes(stream: Duplex, bytes: number): Promise<Buffer> {
  if (bytes === 0) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    // One listener for all of the wait: adding one while a part of the bytes is there reports them again, at once.
    const look = (): void => {
      const chunk = stream.read(bytes) as Buffer | null;
      if (chunk?.length === bytes) settle(chunk);
      // At the end of a stream, `read` returns what is left.
      else if (chunk !== null || stream.readableEnded || stream.destroyed) settle(undefined);
    };
    const settle = (chunk: Buffer | undefined): void => {
      for (const event of EVENTS) stream.off(event, look);
      if (chunk === undefined) reject(new PeerGone('The connection ended.'));
      else resolve(chunk);
    };
    for (const event of EVENTS) stream.on(event, look);
    look();
  });
}

/** Reads a packet without a type, and returns what follows its length. @throws {WireRefusal | PeerGone} */
export async function readStartup(stream: Duplex): Promise<Buffer> {
  const length = (await readBytes(stream, 4)).readUInt32BE();
  requireStartupLength(length);
  return readBytes(stream, length - 4);
}

/** Reads a message with a type. @throws {WireRefusal | PeerGone} */
export async function readMessage(stream: Duplex, maxBytes: number): Promise<WireMessage> {
  const head = await readBytes(stream, 5);
  const length = head.readUInt32BE(1);
  if (length < 4 || length > maxBytes) throw new WireRefusal('08P01', 'invalid message length');
  return { type: head.toString('latin1', 0, 1), body: await readBytes(stream, length - 4) };
}
