import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { OperatingHost } from '../operations/operating-host.js';
import { DatabaseHostsStore } from '../persistence/database-hosts.store.js';
import { WireCertificate } from '../wire/tls/wire-certificate.js';
import { WireServer } from '../wire/wire-server.js';
import { HostedEngine } from '../engine/hosted-engine.js';

const BEAT_MS = 10_000;

/** This host in `database_hosts`: it opens its engine, and reports every few seconds that it is there. */
@Injectable()
export class DatabaseHost extends OperatingHost implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;
  private beatAgain = false;
  private isOpen = false;
  private failedLast = false;
  private isClosing = false;

  constructor(
    private readonly engine: HostedEngine,
    private readonly hosts: DatabaseHostsStore,
    private readonly wire: WireServer,
    private readonly certificate: WireCertificate,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    super();
    shutdown.at('workers', () => this.close());
  }

  override get id(): string | undefined {
    return this.isOpen ? this.engine.hostId : undefined;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.beat();
    }, BEAT_MS).unref();
    this.wire.server.on('listening', () => {
      this.beat();
    });
    this.beat();
  }

  /** One report at a time. One that is asked for meanwhile follows, because the address may have changed. */
  private beat(): void {
    if (this.beating !== undefined) {
      this.beatAgain = true;
      return;
    }
    this.beatAgain = false;
    this.beating = this.report().finally(() => {
      this.beating = undefined;
      if (this.beatAgain && !this.isClosing) this.beat();
    });
  }

  private async report(): Promise<void> {
    try {
      const id = await this.engine.open();
      const missing = await this.engine.missing();
      await this.hosts.seen({
        id,
        address: this.wire.address,
        certificateSha256: this.certificate.sha256,
        engine: this.engine.kind,
        postgresVersion: await this.engine.version(),
        unavailable: missing.length === 0 ? null : `Missing: ${missing.join(', ')}.`,
        seenAt: this.clock.now(),
      });
      this.isOpen = true;
      this.failedLast = false;
    } catch (error) {
      // It is tried again, and one line says so.
      if (!this.failedLast) this.log.error({ error }, 'This host cannot keep databases.');
      this.failedLast = true;
    }
  }

  private async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.beating;
    await this.engine.close();
  }
}
