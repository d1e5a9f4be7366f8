import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsString, MaxLength } from 'class-validator';
import { MAX_PUBLIC_URL_LENGTH } from '../../../platform/egress/public-target.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { ListedTool } from '../mcp/mcp-listing.service.js';

export class ListMcpToolsBody {
  @ApiProperty({
    example: 'https://mcp.example.com/mcp',
    maxLength: MAX_PUBLIC_URL_LENGTH,
    description: 'The address of the server for Streamable HTTP.',
  })
  @IsString()
  @MaxLength(MAX_PUBLIC_URL_LENGTH)
  readonly url!: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { authorization: 'Bearer <token>' },
    description: 'Headers for this request. They are not stored.',
  })
  @MayBeAbsent()
  @IsObject()
  readonly headers: Record<string, string> = {};
}

export class McpToolView {
  @ApiProperty({ example: 'search_issues' }) name!: string;
  @ApiProperty({ example: 'Searches issues by text.' }) description!: string;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'SHA-256 of the definition. A version that uses the tool names it.',
  })
  digest!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { type: 'object' } })
  input_schema!: Readonly<Record<string, unknown>>;
  @ApiProperty({ example: true, description: 'True when the server says that the tool changes nothing.' })
  read_only!: boolean;

  static of({ name, description, digest, inputSchema, annotations }: ListedTool): McpToolView {
    return { name, description, digest, input_schema: inputSchema, read_only: annotations['readOnlyHint'] === true };
  }
}

export class McpToolsAnswer {
  @ApiProperty({ type: [McpToolView] }) data!: McpToolView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
