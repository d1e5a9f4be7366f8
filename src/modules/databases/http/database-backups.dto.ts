import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import type { RestoreInput } from '../backups/database-restores.service.js';
import type { Backup, BackupKind, BackupState } from '../persistence/backup-rows.js';

const TIME = '2026-12-01T09:00:00.000Z';
const STATES: readonly BackupState[] = ['pending', 'ready', 'failed'];
const KINDS: readonly BackupKind[] = ['scheduled', 'manual'];

export class DatabaseBackupView {
  @ApiProperty({ example: 'dbk_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: KINDS, example: 'scheduled', description: 'scheduled: made by the service, once a day.' })
  kind!: BackupKind;
  @ApiProperty({ enum: STATES, example: 'ready' }) state!: BackupState;
  @ApiProperty({ type: 'integer', example: 4_194_304, description: 'Compressed. Backups are not billed.' })
  size_bytes!: number;
  @ApiProperty({ format: 'date-time', example: TIME }) created_at!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: TIME,
    description: 'The first moment that this backup alone can be restored to. Null while it is pending.',
  })
  finished_at!: string | null;

  static of({ id, kind, state, partBytes, createdAt, finishedAt }: Backup): DatabaseBackupView {
    return {
      id,
      kind,
      state,
      size_bytes: partBytes.reduce((sum, bytes) => sum + bytes, 0),
      created_at: createdAt.toISOString(),
      finished_at: finishedAt?.toISOString() ?? null,
    };
  }
}

export class DatabaseBackupAnswer {
  @ApiProperty({ type: DatabaseBackupView }) data!: DatabaseBackupView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DatabaseBackupPageAnswer {
  @ApiProperty({ type: [DatabaseBackupView] }) data!: DatabaseBackupView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class RestoreDatabaseBody {
  @ApiProperty({
    format: 'date-time',
    example: TIME,
    description: 'The moment, between `restorable.from` and `restorable.until` of the database.',
  })
  @IsISO8601({ strict: true, strictSeparator: true })
  @MaxLength(40)
  readonly at!: string;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: 100,
    example: 'shop before the accident',
    description: 'The name of the new database. The default is the name of this one with the moment.',
  })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  get input(): RestoreInput {
    return { at: new Date(this.at), name: this.name };
  }
}

export class SwapDatabaseBody {
  @ApiProperty({ example: 'db_01jd3m8yeqf5rb0xkq5ym8s6tp', description: 'Id of the other database.' })
  @IsString()
  @MaxLength(63)
  readonly with!: string;
}

export class CreateBranchBody {
  @ApiProperty({ type: String, minLength: 1, maxLength: 100, example: 'shop of the new checkout' })
  @IsTitle()
  readonly name!: string;
}
