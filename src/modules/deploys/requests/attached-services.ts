import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { LocalService } from '../../../platform/egress/local-service.js';
import { type AttachedDatabase, DatabaseAttachments } from '../../databases/database-attachments.js';
import { DatabaseAccess } from '../../databases/database-access.js';
import { DatabaseUnavailable } from '../../databases/databases.errors.js';
import { PlainConnection } from '../../databases/plain-connection.js';
import { SERVICE_DOOR_ADDRESS } from '../../hosting/service-door-address.js';
import { type AttachedBucket, ObjectAccess } from '../../objects/object-access.js';
import type { OpenedVariable } from '../../projects/project-env.service.js';
import type { Deploy } from '../persistence/deploy.entity.js';

type Attached = Pick<Deploy, 'projectId' | 'type' | 'branch'>;

const HOST = '127.0.0.1';
/** The port that clients of PostgreSQL use when none is named, for the first database. */
const FIRST_PORT = 5432;
/** The name of every project's database inside of its server. */
const DATABASE = 'app';
/** Where servers of apps reach buckets. The paths of all are below it. */
const BUCKETS_ADDRESS = `${SERVICE_DOOR_ADDRESS}/s3`;
const URL_SUFFIX = '_URL';
/** The prefix whose database clients find without being configured. */
const DEFAULT_PREFIX = 'DATABASE';

/** A database that was just created, or its host, may need some time. */
const WAIT_MS = 15_000;
const RETRY_MS = 250;

/**
 * What is attached to projects, for the builds and servers of their deploys. Databases are reached at local ports: no
 * variable holds a password, and only what runs for the project gets in.
 */
@Injectable()
export class AttachedServices {
  constructor(
    private readonly databases: DatabaseAttachments,
    private readonly access: DatabaseAccess,
    private readonly objects: ObjectAccess,
  ) {}

  /** Returns the variables for a new deploy, which keeps them. */
  async variablesOf(deploy: Attached): Promise<OpenedVariable[]> {
    const [databases, buckets] = await Promise.all([
      this.databasesOf(deploy),
      this.objects.attachmentsOf(deploy.projectId, deploy.type, { endpoint: BUCKETS_ADDRESS }),
    ]);
    return [
      ...databases.flatMap(({ prefix, access }, index) => variablesOfDatabase(prefix, access, FIRST_PORT + index)),
      ...buckets.flatMap(variablesOfBucket),
    ];
  }

  /**
   * Returns what a deploy reaches at local ports: the databases that are still attached, at the ports that its
   * variables name.
   */
  async servicesOf(deploy: Attached, kept: Readonly<Record<string, string>>): Promise<LocalService[]> {
    const databases = await this.databasesOf(deploy);
    return databases.flatMap((database) => {
      const port = localPortOf(kept[database.prefix + URL_SUFFIX]);
      return port === undefined ? [] : [{ port, connect: (signal) => this.connect(database, signal) }];
    });
  }

  /** A preview never gets the database of production in place of a branch. */
  private async databasesOf({ projectId, type, branch }: Attached): Promise<AttachedDatabase[]> {
    const attached = await this.databases.ofProject(projectId, type);
    return Promise.all(
      attached.map(async (each) =>
        type === 'preview' && each.previews === 'branch'
          ? { ...each, databaseId: await this.databases.branchFor({ databaseId: each.databaseId, projectId, branch }) }
          : each,
      ),
    );
  }

  private async connect({ databaseId, access }: AttachedDatabase, signal: AbortSignal): Promise<PlainConnection> {
    const until = performance.now() + WAIT_MS;
    for (;;) {
      try {
        return new PlainConnection(await this.access.open({ databaseId, role: access, signal }));
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > until) throw error;
      }
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

function variablesOfDatabase(prefix: string, user: string, port: number): OpenedVariable[] {
  const values = {
    [prefix + URL_SUFFIX]: `postgres://${user}@${HOST}:${port}/${DATABASE}`,
    ...(prefix === DEFAULT_PREFIX ? { PGHOST: HOST, PGPORT: String(port), PGUSER: user, PGDATABASE: DATABASE } : {}),
  };
  return Object.entries(values).map(([name, value]) => ({ name, value, secret: false }));
}

const variablesOfBucket = ({ variables, secret }: AttachedBucket): OpenedVariable[] =>
  Object.entries(variables).map(([name, value]) => ({ name, value, secret: value === secret }));

/** Undefined for an address that the project has set itself. */
function localPortOf(url: string | undefined): number | undefined {
  const port = /^postgres:\/\/(?:owner|reader)@127\.0\.0\.1:(\d{4,5})\/app$/.exec(url ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}
