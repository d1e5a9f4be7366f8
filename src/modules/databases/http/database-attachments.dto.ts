import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, IsString, Matches } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import {
  type Attachment,
  ATTACHMENT_ACCESSES,
  ATTACHMENT_TARGETS,
  type AttachmentAccess,
  type AttachmentFields,
  type AttachmentTarget,
  PREVIEW_DATABASES,
  type PreviewDatabases,
} from '../persistence/attachment-rows.js';

const TIME = '2026-12-01T09:00:00.000Z';
const PREFIX = {
  type: String,
  pattern: '^[A-Z][A-Z0-9_]{0,31}$',
  example: 'DATABASE',
  description:
    'Deploys get `<prefix>_URL`, and with the prefix `DATABASE` also `PGHOST`, `PGPORT`, `PGUSER` and `PGDATABASE`.',
};
const TARGETS = {
  enum: ATTACHMENT_TARGETS,
  isArray: true,
  example: ['production', 'preview'],
  description: 'The deploys that get the database.',
};
const PREVIEWS = {
  enum: PREVIEW_DATABASES,
  example: 'branch',
  description:
    'What previews get: the same database, a branch of it for each git branch, or none. A branch is deleted when it ' +
    'was not used for 7 days.',
};
const ACCESS = { enum: ATTACHMENT_ACCESSES, example: 'owner', description: '`reader` cannot change anything.' };

export class AttachDatabaseBody {
  @ApiPropertyOptional({ ...PREFIX, default: 'DATABASE' })
  @MayBeAbsent()
  @inOrder(
    IsString(),
    Matches(/^[A-Z][A-Z0-9_]{0,31}$/, { message: 'prefix must be 1 to 32 of A-Z, 0-9 and _, and begin with a letter' }),
  )
  readonly prefix: string = 'DATABASE';

  @ApiPropertyOptional({ ...TARGETS, default: [...ATTACHMENT_TARGETS] })
  @MayBeAbsent()
  @inOrder(IsArray(), ArrayNotEmpty(), ArrayUnique(), IsIn(ATTACHMENT_TARGETS, { each: true }))
  readonly targets: AttachmentTarget[] = [...ATTACHMENT_TARGETS];

  @ApiPropertyOptional({ ...PREVIEWS, default: 'same' })
  @MayBeAbsent()
  @IsIn(PREVIEW_DATABASES)
  readonly previews: PreviewDatabases = 'same';

  @ApiPropertyOptional({ ...ACCESS, default: 'owner' })
  @MayBeAbsent()
  @IsIn(ATTACHMENT_ACCESSES)
  readonly access: AttachmentAccess = 'owner';

  get fields(): AttachmentFields {
    const { prefix, targets, previews, access } = this;
    return { prefix, targets, previews, access };
  }
}

export class DatabaseAttachmentView {
  @ApiProperty({ example: 'db_01jd3m8yeqf5rb0xkq5ym8s6tn' }) database_id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty(PREFIX) prefix!: string;
  @ApiProperty(TARGETS) targets!: AttachmentTarget[];
  @ApiProperty(PREVIEWS) previews!: PreviewDatabases;
  @ApiProperty(ACCESS) access!: AttachmentAccess;
  @ApiProperty({ format: 'date-time', example: TIME }) created_at!: string;
  @ApiProperty({ format: 'date-time', example: TIME }) updated_at!: string;

  static of(attachment: Attachment): DatabaseAttachmentView {
    return {
      database_id: attachment.databaseId,
      project_id: attachment.projectId,
      prefix: attachment.prefix,
      targets: [...attachment.targets],
      previews: attachment.previews,
      access: attachment.access,
      created_at: attachment.createdAt.toISOString(),
      updated_at: attachment.updatedAt.toISOString(),
    };
  }
}

export class DatabaseAttachmentAnswer {
  @ApiProperty({ type: DatabaseAttachmentView }) data!: DatabaseAttachmentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DatabaseAttachmentPageAnswer {
  @ApiProperty({ type: [DatabaseAttachmentView] }) data!: DatabaseAttachmentView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
