import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { ExportFormat } from '../transfer/database-export.js';

const FORMATS: readonly ExportFormat[] = ['sql', 'custom'];

export class DatabaseExportQuery {
  @ApiPropertyOptional({
    enum: FORMATS,
    default: 'sql',
    example: 'sql',
    description: 'sql: plain SQL. custom: what `pg_restore` reads, where the host of the database has `pg_dump` 18.',
  })
  @MayBeAbsent()
  @IsIn(FORMATS)
  readonly format: ExportFormat = 'sql';
}

export class DatabaseImportView {
  @ApiProperty({ example: 42, description: 'How many statements were run.' }) statements!: number;
}

export class DatabaseImportAnswer {
  @ApiProperty({ type: DatabaseImportView }) data!: DatabaseImportView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
