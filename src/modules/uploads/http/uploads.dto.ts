import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { type AnnouncedFile, announcedFile, filesFault, MAX_FILES, MAX_PATH_BYTES } from '../domain/upload-files.js';
import type { BegunUpload } from '../uploads.service.js';

/** One rule for the whole list: rules for each of thousands of fields would hold up every other call. */
const AreFiles = (): PropertyDecorator =>
  ValidateBy({
    name: 'areFiles',
    validator: {
      validate: (files: unknown) => filesFault(files) === undefined,
      defaultMessage: (fault) => `files ${filesFault(fault?.value) ?? ''}`,
    },
  });

class UploadFileBody {
  @ApiProperty({
    example: 'src/index.js',
    maxLength: MAX_PATH_BYTES,
    description: 'Path from the root of the upload, with / between its parts.',
  })
  path!: string;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 of the content.',
  })
  sha256!: string;
  @ApiProperty({ example: 4, type: 'integer', minimum: 0 }) bytes!: number;
  @ApiPropertyOptional({ example: false, type: Boolean, default: false }) executable?: boolean;
}

export class CreateUploadBody {
  @ApiProperty({ type: [UploadFileBody], minItems: 1, maxItems: MAX_FILES })
  @AreFiles()
  readonly files!: object[];

  get announced(): AnnouncedFile[] {
    return this.files.map(announcedFile);
  }
}

class UploadView {
  @ApiProperty({ example: 'upl_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ type: 'integer', description: 'Number of files.' }) files!: number;
  @ApiProperty({ type: 'integer', description: 'Size of all files.' }) bytes!: number;
  @ApiProperty({ type: [String], description: 'SHA-256 of each content that the project has not stored yet.' })
  missing!: string[];
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

export const viewOf = ({ upload, missing }: BegunUpload): UploadView => ({
  id: upload.id,
  project_id: upload.projectId,
  files: upload.fileCount,
  bytes: upload.bytes,
  missing: [...missing],
  created_at: upload.createdAt.toISOString(),
});

export type { UploadView };

export class UploadAnswer {
  @ApiProperty({ type: UploadView }) data!: UploadView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class MissingContentView {
  @ApiProperty({ type: [String], description: 'SHA-256 of each content that is still missing.' }) missing!: string[];
}

export class MissingContentAnswer {
  @ApiProperty({ type: MissingContentView }) data!: MissingContentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
