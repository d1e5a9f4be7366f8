import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { inOrder, IsTitle } from '../../../platform/text/text-fields.js';
import type { CreateDatabaseInput, DatabaseListInput } from '../domain/databases.service.js';
import type { UpdateDatabaseInput } from '../domain/database-changes.js';
import { type DescribedDatabase, quotaBytesOf, restorableUntilOf } from '../domain/described-database.js';
import {
  type DatabaseActivity,
  type DatabaseRow,
  type DatabaseState,
  type EngineKind,
  READ_ONLY_CAUSES,
} from '../persistence/database-rows.js';

const ID = 'db_01jd3m8yeqf5rb0xkq5ym8s6tn';
const ORG = 'org_01jd3m8yeqf5rb0xkq5ym8s6tn';
const PROJECT = 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn';
const TIME = '2026-12-01T09:00:00.000Z';
const NAME = { type: String, minLength: 1, maxLength: 100, example: 'shop' };
const ID_OR_SLUG = { type: String, maxLength: 63, example: PROJECT };

const STATES: readonly DatabaseState[] = ['creating', 'restoring', 'ready', 'failed', 'deleting', 'deleted'];
const ACTIVITIES: readonly DatabaseActivity[] = ['active', 'idle', 'frozen', 'asleep'];
const ENGINES: readonly EngineKind[] = ['own', 'server'];

const IsIdOrSlug = (): PropertyDecorator => inOrder(IsString(), MaxLength(63));

export class CreateDatabaseBody {
  @ApiProperty({ ...NAME, description: 'Unique among the databases of the organization.' })
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({ ...ID_OR_SLUG, description: 'Id or slug of the project that the database belongs to.' })
  @MayBeAbsent()
  @IsIdOrSlug()
  readonly project_id?: string;

  @ApiPropertyOptional({
    ...ID_OR_SLUG,
    example: ORG,
    description: 'Id or slug of the organization. The default is the organization of the call.',
  })
  @MayBeAbsent()
  @IsIdOrSlug()
  readonly organization_id?: string;

  get input(): CreateDatabaseInput {
    return { name: this.name, project: this.project_id, organization: this.organization_id };
  }
}

export class UpdateDatabaseBody {
  @ApiPropertyOptional(NAME)
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({ ...ID_OR_SLUG, nullable: true, description: 'Id or slug of a project; null for none.' })
  @MayBeCleared()
  @IsIdOrSlug()
  readonly project_id?: string | null;

  get input(): UpdateDatabaseInput {
    return { name: this.name, project: this.project_id };
  }
}

export class DatabaseListQuery extends PageQuery {
  @ApiPropertyOptional({ ...ID_OR_SLUG, example: ORG, description: 'Id or slug; by default that of the call.' })
  @MayBeAbsent()
  @IsIdOrSlug()
  readonly organization_id?: string;

  @ApiPropertyOptional({ ...ID_OR_SLUG, description: 'Databases that belong to this project alone.' })
  @MayBeAbsent()
  @IsIdOrSlug()
  readonly project_id?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    example: 'true',
    description: 'Lists deleted databases, too, while their deletion can be undone.',
  })
  @MayBeAbsent()
  @IsIn(['true', 'false'])
  readonly include_deleted?: 'true' | 'false';

  get filter(): DatabaseListInput {
    const { organization_id, project_id, include_deleted } = this;
    return { organization: organization_id, project: project_id, includeDeleted: include_deleted === 'true' };
  }
}

class DatabaseErrorView {
  @ApiProperty({ example: 'database_unavailable' }) code!: string;
  @ApiProperty({ example: 'No host for databases is available at the moment.' }) message!: string;
}

class DatabaseConnectionsView {
  @ApiProperty({ type: 'integer', example: 3 }) open!: number;
  @ApiProperty({ type: 'integer', example: 20, description: 'The limit of the plan. More connections wait.' })
  limit!: number;
}

class RestorableView {
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: TIME }) from!: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: TIME }) until!: string | null;
}

class DatabaseAbilitiesView {
  @ApiProperty({ example: true }) branch!: boolean;
  @ApiProperty({ example: true }) restore!: boolean;
}

export class DatabaseView {
  @ApiProperty({ example: ID }) id!: string;
  @ApiProperty({ example: ORG }) organization_id!: string;
  @ApiProperty({ type: String, nullable: true, example: PROJECT }) project_id!: string | null;
  @ApiProperty({ example: 'shop' }) name!: string;
  @ApiProperty({
    enum: STATES,
    example: 'ready',
    description:
      'creating, restoring: its data is made. failed: it could not be made, see `error`. deleting, deleted: nobody ' +
      'can connect.',
  })
  state!: DatabaseState;
  @ApiProperty({
    enum: ENGINES,
    example: 'own',
    description: 'own: a PostgreSQL of its own. server: a database on a server of the operator.',
  })
  engine!: EngineKind;
  @ApiProperty({ type: String, nullable: true, example: null, description: 'The database that it is a branch of.' })
  parent_id!: string | null;
  @ApiProperty({ example: true, description: 'True when a project gives it to its production deploys.' })
  in_production!: boolean;
  @ApiProperty({ type: DatabaseErrorView, nullable: true, example: null }) error!: DatabaseErrorView | null;
  @ApiProperty({
    enum: READ_ONLY_CAUSES,
    nullable: true,
    example: null,
    description:
      'Why it refuses writes. quota: it is larger than `quota_bytes`. credits: nothing pays for it. archive: its log ' +
      'cannot be stored at the moment. disk: with temporary files and its log it takes too much of the disk.',
  })
  read_only_because!: DatabaseRow['read_only_because'];
  @ApiProperty({
    enum: ACTIVITIES,
    example: 'asleep',
    description: 'frozen: its connections wait for traffic. asleep: it is stopped, and wakes on a connection.',
  })
  activity!: DatabaseActivity;
  @ApiProperty({ type: DatabaseConnectionsView }) connections!: DatabaseConnectionsView;
  @ApiProperty({ type: 'integer', example: 1_048_576, description: 'Stored bytes beyond an empty database.' })
  size_bytes!: number;
  @ApiProperty({ type: 'integer', example: 1_000_000_000, description: 'Beyond this size it is read-only.' })
  quota_bytes!: number;
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: TIME }) last_active_at!: string | null;
  @ApiProperty({ example: 'db.example.com' }) host!: string;
  @ApiProperty({ type: 'integer', example: 5433 }) port!: number;
  @ApiProperty({ example: 'shop-k3v9x2ma', description: 'The name of the database in connection URLs.' })
  database!: string;
  @ApiProperty({ type: RestorableView, description: 'The moments that it can be restored to.' })
  restorable!: RestorableView;
  @ApiProperty({ type: DatabaseAbilitiesView }) can!: DatabaseAbilitiesView;
  @ApiProperty({ format: 'date-time', example: TIME }) created_at!: string;
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null }) deleted_at!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description: 'Until then the deletion can be undone.',
  })
  restorable_until!: string | null;

  static of({ row, plan, address, restorable, isInProduction }: DescribedDatabase): DatabaseView {
    return {
      id: row.id,
      organization_id: row.org_id,
      project_id: row.project_id,
      name: row.name,
      state: row.state,
      engine: row.engine,
      parent_id: row.parent_id,
      in_production: isInProduction,
      error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
      read_only_because: row.read_only_because,
      activity: row.activity,
      connections: { open: row.connections, limit: plan.databases.connections },
      size_bytes: Number(row.size_bytes),
      quota_bytes: quotaBytesOf(plan),
      last_active_at: textOf(row.last_active_at),
      host: address.host,
      port: address.port,
      database: row.label,
      restorable: { from: textOf(restorable.from), until: textOf(restorable.until) },
      can: { branch: row.engine === 'own', restore: row.engine === 'own' },
      created_at: row.created_at.toISOString(),
      deleted_at: textOf(row.deleted_at),
      restorable_until: row.state === 'deleted' ? textOf(restorableUntilOf(row)) : null,
    };
  }
}

const textOf = (time: Date | null): string | null => time?.toISOString() ?? null;

export class DatabaseAnswer {
  @ApiProperty({ type: DatabaseView }) data!: DatabaseView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DatabasePageAnswer {
  @ApiProperty({ type: [DatabaseView] }) data!: DatabaseView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
