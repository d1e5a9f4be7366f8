import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';

const BACKUPS = 'database_backups_total';
const LAG = 'database_archive_lag_seconds';
const AGE = 'database_backup_age_seconds';

@Injectable()
export class BackupMetrics {
  constructor(
    @InjectMetric(BACKUPS) private readonly backups: Counter,
    @InjectMetric(LAG) private readonly lag: Gauge,
    @InjectMetric(AGE) private readonly age: Gauge,
  ) {
    // A series that appears with its first count shows no increase.
    for (const result of ['ready', 'failed']) backups.inc({ result }, 0);
  }

  ended(result: 'ready' | 'failed'): void {
    this.backups.inc({ result });
  }

  /** @param seconds of the database of this host whose log waits longest. */
  archiveLag(seconds: number): void {
    this.lag.set(seconds);
  }

  /** @param seconds since the first change that is in no backup, of the database of this host with the oldest one. */
  backupAge(seconds: number): void {
    this.age.set(seconds);
  }
}

export const BACKUP_METRICS: Provider[] = [
  BackupMetrics,
  makeCounterProvider({ name: BACKUPS, help: 'Backups of project databases, by result.', labelNames: ['result'] }),
  makeGaugeProvider({
    name: LAG,
    help: 'Time since the log of every running project database of this host was last stored.',
  }),
  makeGaugeProvider({
    name: AGE,
    help: 'Age of the oldest last backup of the project databases of this host that have changed since.',
  }),
];
