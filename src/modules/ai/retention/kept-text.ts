/** Longer texts are cut off. */
export const MAX_TEXT_BYTES = 1_048_576;

/** A text that arrives in pieces, up to the longest one that is kept. */
export class KeptText {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  isTruncated = false;

  push(piece: Buffer): void {
    const room = MAX_TEXT_BYTES - this.bytes;
    if (piece.length > room) this.isTruncated = true;
    if (room === 0 || piece.length === 0) return;
    // The bytes are copied, because a piece may be a part of a much larger buffer, or be used again.
    const own = Buffer.from(piece.subarray(0, room));
    this.pieces.push(own);
    this.bytes += own.length;
  }

  /** The text, without a character of which only a part has room. */
  toString(): string {
    return new TextDecoder().decode(Buffer.concat(this.pieces), { stream: this.isTruncated });
  }
}
