import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CredentialUses } from './sessions/credential-uses.js';
import { OpenSessions } from './sessions/open-sessions.js';
import { WireGateway } from './wire-gateway.js';
import { WireServer } from './wire-server.js';

const END_WITHIN_MS = 1_500;

/** Passes connections to the gateway, and ends them with the process. */
@Injectable()
export class WireConnections implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly wire: WireServer,
    private readonly gateway: WireGateway,
    private readonly sessions: OpenSessions,
    private readonly uses: CredentialUses,
  ) {}

  onModuleInit(): void {
    this.wire.server.on('connection', (socket) => void this.gateway.serve(socket));
  }

  /** Accepts no more connections, and ends the open ones with the error that makes drivers connect again. */
  async onModuleDestroy(): Promise<void> {
    const { server } = this.wire;
    await this.uses.write().catch(() => undefined);
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    this.sessions.endWhere(() => true);
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, END_WITHIN_MS).unref();
    });
    await Promise.race([closed, late]);
  }
}
