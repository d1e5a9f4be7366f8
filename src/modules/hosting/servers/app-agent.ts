import { Agent, type ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Connections to the server of one deploy. One on which bytes arrive that nobody asked for is closed: they would be
 * taken for the answer to the next request, and one visitor would be shown what was meant for another.
 */
export class AppAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxSockets: 256, maxFreeSockets: 32 });
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // The types say that it answers nothing; its documentation, and its code, that the answer decides.
    const keep = super.keepSocketAlive.bind(this) as (socket: Duplex) => boolean;
    const isKept = keep(socket);
    if (isKept) socket.on('data', destroyThis);
    return isKept;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', destroyThis);
    super.reuseSocket(socket, request);
  }
}

function destroyThis(this: Duplex): void {
  this.destroy();
}
