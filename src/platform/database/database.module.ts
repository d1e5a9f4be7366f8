import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Shutdown } from '../lifecycle/shutdown.js';
import { connect } from './connect.js';
import { Database } from './database.js';
import { DatabaseHealth } from './database-health.js';
import { DatabaseNotifications } from './database-notifications.js';
import { DatabaseRetry } from './database-retry.js';
import { DATABASE_METRICS } from './database.metrics.js';

/** The connection pool of the process. The role provides the tables and migrations, because it knows all of them. */
@Global()
@Module({})
export class DatabaseModule {
  static with(dataSource: DataSource): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: DataSource,
          inject: [Shutdown],
          useFactory: async (shutdown: Shutdown) => {
            shutdown.at('database', () => dataSource.destroy());
            return connect(dataSource);
          },
        },
        Database,
        DatabaseHealth,
        DatabaseNotifications,
        DatabaseRetry,
        ...DATABASE_METRICS,
      ],
      exports: [Database, DatabaseHealth, DatabaseNotifications, DatabaseRetry],
    };
  }
}
