import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { GatewayMetrics } from '../metrics/gateway.metrics.js';
import { Arrivals } from './arrivals.js';
import { type Greeting, Greetings } from './login/greeting.js';
import { Admission } from './login/admission.js';
import { negotiationOf } from './protocol/messages.js';
import { PeerGone } from './protocol/read-packets.js';
import type { StartupMessage } from './protocol/startup-packet.js';
import { WireRefusal } from './protocol/wire-refusal.js';
import { OpenSessions } from './sessions/open-sessions.js';
import { SessionBeginnings } from './sessions/session-beginnings.js';

const CLOSE_WITHIN_MS = 1_000;

/** Answers the connections of clients of PostgreSQL, from the first byte on. */
@Injectable()
export class WireGateway {
  constructor(
    private readonly arrivals: Arrivals,
    private readonly greetings: Greetings,
    private readonly admission: Admission,
    private readonly beginnings: SessionBeginnings,
    private readonly sessions: OpenSessions,
    private readonly metrics: GatewayMetrics,
    private readonly log: Log,
  ) {}

  /** It never throws. The socket is closed at the end. */
  async serve(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    if (!this.arrivals.enter(socket)) {
      socket.destroy();
      return;
    }
    try {
      await this.answer(socket);
    } catch (error) {
      this.refuse(socket, error);
    }
  }

  private async answer(socket: Socket): Promise<void> {
    const greeting = await this.greetings.greet(socket);
    try {
      await this.serveGreeted(socket, greeting);
      this.closeSoon(socket);
    } catch (error) {
      if (error instanceof WireRefusal && !greeting.stream.destroyed) {
        greeting.stream.end(error.packet);
        this.closeSoon(socket);
      } else throw error;
    }
  }

  private async serveGreeted(socket: Socket, greeting: Greeting): Promise<void> {
    const { stream } = greeting;
    switch (greeting.kind) {
      case 'cancel':
        await this.sessions.cancel(greeting);
        // There is no answer, so that a guess learns nothing.
        socket.destroy();
        return;
      case 'ticket': {
        const granted = await this.admission.byTicket(stream, greeting.ticket);
        if (granted.kind === 'cancel') {
          await this.sessions.cancel(granted.key, granted.databaseId);
          socket.destroy();
          return;
        }
        this.arrivals.leave(socket);
        if (granted.kind === 'dump') await this.beginnings.dump(stream, granted.access);
        else await this.beginnings.begin(stream, granted.access, granted.startup.parameters);
        return;
      }
      case 'startup': {
        negotiate(greeting);
        const access = await this.admission.byPassword(stream, greeting, socket.remoteAddress ?? '');
        this.arrivals.leave(socket);
        await this.beginnings.begin(stream, access, greeting.parameters);
      }
    }
  }

  private refuse(socket: Socket, error: unknown): void {
    if (error instanceof WireRefusal) {
      this.metrics.refused(error.code === '28000' ? 'tls' : 'protocol');
      socket.end(error.packet);
      this.closeSoon(socket);
      return;
    }
    if (!(error instanceof PeerGone)) this.log.error({ error }, 'A connection to a project database failed.');
    socket.destroy();
  }

  /** A client that does not read its refusal is not waited for. */
  private closeSoon(socket: Socket): void {
    setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS).unref();
  }
}

/** Newer clients may offer more than we speak. They go on with version 3.0. */
function negotiate({ stream, minorVersion, extensions }: Greeting & StartupMessage): void {
  if (minorVersion > 0 || extensions.length > 0) stream.write(negotiationOf(extensions));
}
