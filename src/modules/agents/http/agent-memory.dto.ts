import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsString,
  Matches,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import { MAX_BLOCK_BYTES } from '../domain/definition-parts.js';
import type { Memory, ShownBlock } from '../memories.service.js';
import { MAX_MEMORY_BYTES, MAX_QUERY_CHARACTERS, MAX_TAGS, TAG } from '../memory/memory-bounds.js';
import type { BlocksOfAgent } from '../memory/memory-editing.service.js';

const IsStorable = (): PropertyDecorator =>
  ValidateBy({
    name: 'isText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && !/[\0\p{Cs}]/u.test(value),
      defaultMessage: (fault) => `${fault?.property ?? 'The field'} must be valid text without NUL`,
    },
  });
const IsMemoryText = (): PropertyDecorator =>
  inOrder(IsString(), MinLength(1), MaxBytes(MAX_MEMORY_BYTES), IsStorable());
const AreTags = (): PropertyDecorator =>
  inOrder(
    IsArray(),
    ArrayMaxSize(MAX_TAGS),
    ArrayUnique(),
    Matches(TAG, { each: true, message: 'tags must be 1 to 40 characters of a-z, 0-9, _ and - each' }),
  );

const TEXT = { type: String, example: 'The shop ships on Mondays.', description: `At most ${MAX_MEMORY_BYTES} bytes.` };
const TAGS = { type: [String] as [StringConstructor], maxItems: MAX_TAGS, example: ['shipping'] };

export class MemoriesQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_QUERY_CHARACTERS,
    example: 'when does the shop ship',
    description: 'Searches by words and similar words, best matches first, on one page of `limit`.',
  })
  @MayBeAbsent()
  @inOrder(
    IsString(),
    MinLength(1),
    ValidateBy({
      name: 'maxLength',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && value.length <= MAX_QUERY_CHARACTERS,
        defaultMessage: () => `query must be at most ${MAX_QUERY_CHARACTERS} characters`,
      },
    }),
    IsStorable(),
  )
  readonly query?: string;
}

export class CreateMemoryBody {
  @ApiProperty(TEXT)
  @IsMemoryText()
  readonly text!: string;

  @ApiPropertyOptional({ ...TAGS, default: [] })
  @MayBeAbsent()
  @AreTags()
  readonly tags: string[] = [];
}

export class UpdateMemoryBody {
  @ApiPropertyOptional(TEXT)
  @MayBeAbsent()
  @IsMemoryText()
  readonly text?: string;

  @ApiPropertyOptional(TAGS)
  @MayBeAbsent()
  @AreTags()
  readonly tags?: string[];

  get change(): Partial<Pick<Memory, 'text' | 'tags'>> {
    const { text, tags } = this;
    return { ...(text === undefined ? {} : { text }), ...(tags === undefined ? {} : { tags }) };
  }
}

export class SetBlockBody {
  @ApiProperty({ example: 'Be brief and polite.', description: `All blocks have ${MAX_BLOCK_BYTES} bytes together.` })
  @inOrder(IsString(), MaxBytes(MAX_BLOCK_BYTES), IsStorable())
  readonly value!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 3, description: 'The version that was read.' })
  @IsInt()
  @Min(1)
  readonly version!: number;
}

export class MemoryView {
  @ApiProperty({ example: 'mem_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) agent_id!: string;
  @ApiProperty({ example: 'The shop ships on Mondays.' }) text!: string;
  @ApiProperty({ type: [String], example: ['shipping'] }) tags!: string[];
  @ApiPropertyOptional({ type: String, description: 'The run that wrote it.' }) run_id?: string;
  @ApiProperty({ description: 'Whether the run had read text from outside of the service.' }) tainted!: boolean;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of({ id, agentId, text, tags, runId, tainted, createdAt, updatedAt }: Memory): MemoryView {
    return {
      id,
      agent_id: agentId,
      text,
      tags: [...tags],
      ...(runId === null ? {} : { run_id: runId }),
      tainted,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class MemoryBlockView {
  @ApiProperty({ example: 'persona' }) label!: string;
  @ApiPropertyOptional({ type: String, example: 'How it speaks.' }) description?: string;
  @ApiProperty({ example: 'Be brief.' }) value!: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'Rises with each change.' }) version!: number;
  @ApiPropertyOptional({ type: String, description: 'The run that wrote it last.' }) run_id?: string;
  @ApiProperty({ description: 'Whether the run had read text from outside of the service.' }) tainted!: boolean;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static allOf({ agent, blocks }: BlocksOfAgent): MemoryBlockView[] {
    return blocks.map((block) => MemoryBlockView.of(block, agent.createdAt));
  }

  private static of(block: ShownBlock, createdAt: Date): MemoryBlockView {
    const { label, description, value, version, runId, tainted, updatedAt } = block;
    return {
      label,
      ...(description === undefined ? {} : { description }),
      value,
      version,
      ...(runId === null ? {} : { run_id: runId }),
      tainted,
      updated_at: (updatedAt ?? createdAt).toISOString(),
    };
  }
}

export class MemoryAnswer {
  @ApiProperty({ type: MemoryView }) data!: MemoryView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class MemoryPageAnswer {
  @ApiProperty({ type: [MemoryView] }) data!: MemoryView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class MemoryBlockAnswer {
  @ApiProperty({ type: MemoryBlockView }) data!: MemoryBlockView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class MemoryBlocksAnswer {
  @ApiProperty({ type: [MemoryBlockView] }) data!: MemoryBlockView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
