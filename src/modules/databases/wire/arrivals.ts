import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { isLoopback } from '../../../platform/http/connection-bounds.js';
import { clientAddressOf } from '../../limits/client-address.js';

const MAX_ARRIVING = 200;
const MAX_ARRIVING_PER_NETWORK = 32;
const SIGN_IN_WITHIN_MS = 10_000;

interface Arrival {
  readonly network: string | undefined;
  readonly deadline: NodeJS.Timeout;
}

/**
 * Bounds the connections that have not signed in yet, which cost memory and belong to no tenant. When there are too
 * many, the oldest one ends: a client that wants to sign in is through in milliseconds, and one that waits holds no
 * place.
 */
@Injectable()
export class Arrivals {
  private readonly arriving = new Map<Socket, Arrival>();
  private readonly byNetwork = new Map<string, number>();

  get count(): number {
    return this.arriving.size;
  }

  /** Returns false when the network has too many of them. The socket is ended when it takes too long. */
  enter(socket: Socket): boolean {
    const network = this.networkOf(socket.remoteAddress ?? '');
    if (network !== undefined) {
      const others = this.byNetwork.get(network) ?? 0;
      if (others >= MAX_ARRIVING_PER_NETWORK) return false;
      this.byNetwork.set(network, others + 1);
    }
    const [oldest] = this.arriving.keys();
    if (this.arriving.size >= MAX_ARRIVING) oldest!.destroy();
    const deadline = setTimeout(() => socket.destroy(), SIGN_IN_WITHIN_MS);
    this.arriving.set(socket, { network, deadline });
    socket.once('close', () => {
      this.leave(socket);
    });
    return true;
  }

  /** The client has signed in, or is gone. */
  leave(socket: Socket): void {
    const arrival = this.arriving.get(socket);
    if (arrival === undefined) return;
    this.arriving.delete(socket);
    clearTimeout(arrival.deadline);
    if (arrival.network === undefined) return;
    const others = this.byNetwork.get(arrival.network)! - 1;
    if (others === 0) this.byNetwork.delete(arrival.network);
    else this.byNetwork.set(arrival.network, others);
  }

  /** Undefined for this machine, where other processes of the service are. */
  networkOf(address: string): string | undefined {
    return isLoopback(address) ? undefined : clientAddressOf(address).network;
  }
}
