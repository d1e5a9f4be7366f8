const HEAD_BYTES = 5;
const ERROR = 'E';

/**
 * Follows the messages in a stream of bytes without keeping any, so that it is known whether a message of ours may be
 * put between two of them.
 */
export class MessageBoundary {
  private head = Buffer.alloc(HEAD_BYTES);
  private headBytes = 0;
  private bodyLeft = 0;
  private lastType = 0;

  /** True between two messages. */
  get isReached(): boolean {
    return this.headBytes === 0 && this.bodyLeft === 0;
  }

  /** True when the last message was an error. */
  get followsError(): boolean {
    return this.lastMessage === ERROR;
  }

  /** The type of the last message, or of the one that has begun. */
  get lastMessage(): string {
    return String.fromCharCode(this.lastType);
  }

  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.bodyLeft > 0) {
        const skipped = Math.min(this.bodyLeft, chunk.length - at);
        this.bodyLeft -= skipped;
        at += skipped;
        continue;
      }
      const copied = chunk.copy(this.head, this.headBytes, at, at + HEAD_BYTES - this.headBytes);
      this.headBytes += copied;
      at += copied;
      if (this.headBytes < HEAD_BYTES) return;
      this.headBytes = 0;
      this.lastType = this.head[0]!;
      // The length includes itself. A server that says less is broken, and is not followed into a loop.
      this.bodyLeft = Math.max(0, this.head.readUInt32BE(1) - 4);
    }
  }
}
