import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ScanningVerdict } from '../scanning/secret-scanning.service.js';

/** Describes what the scanner sends. The signed bytes are read and checked by the service. */
export class SecretMatchBody {
  @ApiProperty({ example: 'svc_pat_…', description: 'The text that was found.' }) token!: string;
  @ApiProperty({ example: 'service_api_key', description: 'The name of its format at the scanner.' }) type!: string;
  @ApiPropertyOptional({
    type: String,
    example: 'https://github.com/octocat/hello-world/blob/12345600b9cbe38a219f39a9941c9319b600c002/config.js',
    description: 'Where it was found.',
  })
  url?: string;
  @ApiPropertyOptional({ type: String, example: 'commit', description: 'What was scanned.' }) source?: string;
}

/** The body is an array, whose example is not made from those of its fields. */
export const SECRET_MATCH_EXAMPLES = {
  commit: {
    summary: 'A token in a commit',
    value: [
      {
        token: 'svc_pat_…',
        type: 'service_api_key',
        url: 'https://github.com/octocat/hello-world/blob/12345600b9cbe38a219f39a9941c9319b600c002/config.js',
        source: 'commit',
      },
    ],
  },
};

export class SecretVerdictView implements ScanningVerdict {
  @ApiProperty({ description: 'SHA-256 of the token, in hex.' }) token_hash!: string;
  @ApiProperty({ description: '`type` of the request.' }) token_type!: string;
  @ApiProperty({
    enum: ['true_positive', 'false_positive'],
    description: '`true_positive`: the token is or was one of this service, and works no longer.',
  })
  label!: ScanningVerdict['label'];
}
