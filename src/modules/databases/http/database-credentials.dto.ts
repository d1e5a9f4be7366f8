import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import type { IssuedCredential } from '../credentials/credential-issuer.js';
import type { CreateCredentialInput } from '../credentials/database-credentials.service.js';
import {
  CREDENTIAL_ACCESSES,
  type CredentialAccess,
  type DatabaseCredential,
} from '../persistence/database-credential-rows.js';

const MAX_GRACE_SECONDS = 604_800;
const DEFAULT_GRACE_SECONDS = 86_400;

const ACCESS = {
  enum: CREDENTIAL_ACCESSES,
  example: 'owner',
  description: 'owner: reads, writes and changes the schema. reader: reads all tables.',
};

export class CreateDatabaseCredentialBody {
  @ApiProperty(ACCESS)
  @IsIn(CREDENTIAL_ACCESSES)
  readonly access!: CredentialAccess;

  @ApiPropertyOptional({
    type: String,
    maxLength: 100,
    example: 'Laptop',
    description: 'A name to recognize it by. The default is its access.',
  })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  get input(): CreateCredentialInput {
    return { access: this.access, name: this.name };
  }
}

export class RotateDatabaseCredentialBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: DEFAULT_GRACE_SECONDS,
    example: 3_600,
    description: 'How long the old user and password still work. They never work longer than before.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_GRACE_SECONDS)
  readonly grace_seconds: number = DEFAULT_GRACE_SECONDS;
}

export class DatabaseCredentialView {
  @ApiProperty({ example: 'dbc_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'Laptop' }) name!: string;
  @ApiProperty(ACCESS) access!: CredentialAccess;
  @ApiProperty({ example: 'owner_3f9a1c7be204' }) user!: string;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) created_at!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When it stops working, after it was rotated. Null: it works until it is deleted.',
  })
  expires_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-12-01T09:30:00.000Z',
    description: 'When a client last signed in with it, within a few seconds.',
  })
  last_used_at!: string | null;

  static of({
    id,
    name,
    access,
    username,
    createdAt,
    expiresAt,
    lastUsedAt,
  }: DatabaseCredential): DatabaseCredentialView {
    return {
      id,
      name,
      access,
      user: username,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    };
  }
}

export class IssuedDatabaseCredentialView extends DatabaseCredentialView {
  @ApiProperty({
    example: 'postgres://owner_3f9a1c7be204:password@db.example.com:5433/shop-k3v9x2ma?sslmode=require',
    description: 'The connection URL with the password, returned once.',
  })
  url!: string;

  static issued({ credential, url }: IssuedCredential): IssuedDatabaseCredentialView {
    return Object.assign(DatabaseCredentialView.of(credential), { url });
  }
}

export class IssuedDatabaseCredentialAnswer {
  @ApiProperty({ type: IssuedDatabaseCredentialView }) data!: IssuedDatabaseCredentialView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DatabaseCredentialPageAnswer {
  @ApiProperty({ type: [DatabaseCredentialView] }) data!: DatabaseCredentialView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
