import type { Socket } from 'node:net';
import type { JobEnvelope } from './job-envelope.js';

/** What a process asks of a worker on the same machine. */
export interface Offer {
  readonly id: string;
  readonly queue: string;
  readonly envelope: JobEnvelope;
}

/** What a worker tells the processes that are connected to it. */
export type LocalAnswer =
  | { readonly kind: 'room'; readonly queue: string; readonly free: number }
  | { readonly kind: 'taken' | 'refused'; readonly id: string }
  | { readonly kind: 'ended'; readonly id: string; readonly result: unknown }
  | { readonly kind: 'postponed'; readonly id: string; readonly changes: object }
  | { readonly kind: 'failed'; readonly id: string; readonly reason: string };

const LENGTH_BYTES = 4;
/** The output of a run is two mebibytes at most, and each byte of it may take six in JSON. */
const MAX_MESSAGE_BYTES = 33_554_432;

/** Both ends are the service itself, so a message that does not fit is a defect. */
export function sendMessage(socket: Socket, message: Offer | LocalAnswer): void {
  const body = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(body.length);
  socket.write(Buffer.concat([length, body]));
}

/** Calls `receive` with each message, which the other end has sent by {@link sendMessage}. */
export function receiveMessages(socket: Socket, receive: (message: unknown) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    for (;;) {
      if (bytes < LENGTH_BYTES) return;
      // A long message arrives in many pieces, which are joined once.
      if (chunks[0]!.length < LENGTH_BYTES) chunks = [Buffer.concat(chunks)];
      const end = LENGTH_BYTES + chunks[0]!.readUInt32BE();
      if (end > LENGTH_BYTES + MAX_MESSAGE_BYTES) {
        socket.destroy();
        return;
      }
      if (bytes < end) return;
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      chunks = [all.subarray(end)];
      bytes -= end;
      receive(JSON.parse(all.toString('utf8', LENGTH_BYTES, end)));
    }
  });
}
