import type { Socket } from 'node:net';

/** The connections of clients to one cluster, and when bytes last passed through them. */
export class OpenConnections {
  private readonly open = new Set<Socket>();
  private bytes = 0;
  private changedAtMs = performance.now();

  get count(): number {
    return this.open.size;
  }

  add(connection: Socket, onEnd: () => void): void {
    this.open.add(connection);
    this.touch();
    // The holder of the connection may not listen, and an error must not end the process.
    connection.on('error', () => undefined);
    connection.once('close', () => {
      this.open.delete(connection);
      this.touch();
      onEnd();
    });
  }

  touch(): void {
    this.changedAtMs = performance.now();
  }

  /** How long no byte has passed, in steps of the calls. */
  get quietMs(): number {
    return performance.now() - this.lastChangeMs;
  }

  /** When a byte was last seen to have passed. It is the same again for as long as none passes. */
  get lastChangeMs(): number {
    let bytes = 0;
    for (const { bytesRead, bytesWritten } of this.open) bytes += bytesRead + bytesWritten;
    if (bytes !== this.bytes) this.touch();
    this.bytes = bytes;
    return this.changedAtMs;
  }

  endAll(): void {
    for (const connection of this.open) connection.destroy();
  }
}
