import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Database } from './database.js';
import { DatabaseHealth } from './database-health.js';
import { DatabaseNotifications } from './database-notifications.js';
import { DATABASE_METRICS } from './database.metrics.js';

/** How often a start tries to connect while the database is too slow to answer, as on a machine that is booting. */
const CONNECT_ATTEMPTS = 5;

async function connect(dataSource: DataSource): Promise<DataSource> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.initialize();
    } catch (error) {
      if (attempt === CONNECT_ATTEMPTS || !(error as Error).message.includes('connection timeout')) throw error;
    }
  }
}

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
        ...DATABASE_METRICS,
      ],
      exports: [Database, DatabaseHealth, DatabaseNotifications],
    };
  }
}
