import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDefined,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsBranchName } from '../../../platform/text/text-fields.js';
import type { ReadBranch, ReadFile, WriteFilesInput } from '../repository-files.service.js';

const MAX_PATHS = 20;
const MAX_FILES = 100;
const MAX_FILE_CHARACTERS = 1_048_576;
const MAX_PATH_CHARACTERS = 1_024;
const MAX_MESSAGE_CHARACTERS = 8_000;
/** Git takes a file with a NUL near its beginning for binary, too. */
const BINARY_PROBE_BYTES = 8_000;

export class FilesQuery {
  @ApiPropertyOptional({
    type: String,
    isArray: true,
    maxItems: MAX_PATHS,
    example: ['package.json'],
    description:
      'Paths of files and directories, each as a parameter of its own. A directory returns the paths below it; ' +
      'the root if absent.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_PATHS)
  @IsString({ each: true })
  @MaxLength(MAX_PATH_CHARACTERS, { each: true })
  readonly path: readonly string[] = ['.'];

  @ApiPropertyOptional({ example: 'main', description: 'The default branch if absent.' })
  @MayBeAbsent()
  @IsBranchName()
  readonly branch?: string;
}

const FILE_TYPES = ['file', 'directory', 'submodule', 'missing'] as const;

class RepositoryFileView {
  @ApiProperty({ example: 'package.json', description: '`.` is the root.' }) path!: string;
  @ApiProperty({ enum: FILE_TYPES }) type!: (typeof FILE_TYPES)[number];
  @ApiPropertyOptional({ type: 'integer', description: 'The size of a file in bytes.' }) size?: number;
  @ApiPropertyOptional({
    type: String,
    description:
      'The text of a file. Absent for a binary file, and for one above 1 MiB, or 4 MiB with those before it.',
  })
  content?: string;
  @ApiPropertyOptional({ type: [String], description: 'The paths below a directory, at most 2,000.' })
  files?: string[];
  @ApiPropertyOptional({ type: Boolean, description: 'Whether the directory has more.' })
  truncated?: boolean;

  static of(file: ReadFile): RepositoryFileView {
    const path = file.path === '' ? '.' : file.path;
    switch (file.kind) {
      case 'file': {
        const isBinary = file.content.subarray(0, BINARY_PROBE_BYTES).includes(0);
        return { path, type: 'file', size: file.size, ...(isBinary ? {} : { content: file.content.toString() }) };
      }
      case 'too_large':
        return { path, type: 'file', size: file.size };
      case 'directory':
        return { path, type: 'directory', files: [...file.files], truncated: file.isCut };
      case 'submodule':
      case 'missing':
        return { path, type: file.kind };
    }
  }
}

export class RepositoryFilesView {
  @ApiProperty({ example: 'repo_01jd3m8yeqf5rb0xkq5ym8s6tn' }) repository_id!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiProperty({
    example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    description: 'The commit that was read: the `expected_head` of a commit on top of it.',
  })
  commit!: string;
  @ApiProperty({ type: [RepositoryFileView] }) files!: RepositoryFileView[];

  static of({ files, ...at }: ReadBranch & { readonly files: readonly ReadFile[] }): RepositoryFilesView {
    const { repository_id, branch, commit } = commitOf(at);
    return { repository_id, branch, commit, files: files.map((file) => RepositoryFileView.of(file)) };
  }
}

export class RepositoryFilesAnswer {
  @ApiProperty({ type: RepositoryFilesView }) data!: RepositoryFilesView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

class CommittedFileBody {
  @ApiProperty({ example: 'README.md', maxLength: MAX_PATH_CHARACTERS, description: 'Relative to the root.' })
  @IsString()
  @MaxLength(MAX_PATH_CHARACTERS)
  readonly path!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '# Shop\n',
    maxLength: MAX_FILE_CHARACTERS,
    description: 'Replaces the whole file, which keeps its mode. Null deletes it.',
  })
  @IsDefinedOrNull()
  @IsString()
  @MaxLength(MAX_FILE_CHARACTERS)
  readonly content!: string | null;
}

/** Leaving the content out is a mistake, and deletes nothing. */
function IsDefinedOrNull(): PropertyDecorator {
  return ValidateIf((_, value) => value !== null);
}

export class CreateCommitBody {
  @ApiProperty({ example: 'repair', description: 'A branch that does not exist begins at `expected_head`.' })
  @IsBranchName()
  readonly branch!: string;

  @ApiProperty({ example: 'Correct the name of the build script', maxLength: MAX_MESSAGE_CHARACTERS })
  @IsString()
  @MaxLength(MAX_MESSAGE_CHARACTERS)
  readonly message!: string;

  @ApiProperty({ type: [CommittedFileBody], minItems: 1, maxItems: MAX_FILES })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_FILES)
  @IsDefined({ each: true })
  @ValidateNested({ each: true })
  @Type(() => CommittedFileBody)
  readonly files!: readonly CommittedFileBody[];

  @ApiProperty({
    type: String,
    nullable: true,
    pattern: '^[0-9a-f]{40}$',
    example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    description:
      'The commit that the files were read at. If the branch has moved since, nothing is written. ' +
      'Null for the first commit of an empty repository.',
  })
  @IsDefinedOrNull()
  @IsString()
  @Matches(/^[0-9a-f]{40}$/, { message: 'expected_head must be a full commit hash of 40 hexadecimal digits' })
  readonly expected_head!: string | null;

  get input(): WriteFilesInput {
    const { branch, message, files, expected_head: expectedHead } = this;
    return { branch, message, files: files.map(({ path, content }) => ({ path, content })), expectedHead };
  }
}

export class AddedCommitView {
  @ApiProperty({ example: 'repo_01jd3m8yeqf5rb0xkq5ym8s6tn' }) repository_id!: string;
  @ApiProperty({ example: 'repair' }) branch!: string;
  @ApiProperty({ example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' }) commit!: string;

  static of(commit: ReadBranch): AddedCommitView {
    return commitOf(commit);
  }
}

export class AddedCommitAnswer {
  @ApiProperty({ type: AddedCommitView }) data!: AddedCommitView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

const commitOf = ({ repositoryId, branch, commit }: ReadBranch): AddedCommitView => ({
  repository_id: repositoryId,
  branch,
  commit,
});
