import { Agent, type ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Connections to the server of one deploy. A connection that receives unexpected bytes is closed, because they would be
 * taken as the answer to the next request, and a visitor would see what was meant for another one.
 */
export class AppAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxSockets: 256, maxFreeSockets: 32 });
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // The types declare no return value, but by Node's documentation and code it decides.
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
