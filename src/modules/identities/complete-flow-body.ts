import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { VERIFIER_FORM } from './domain/proof-key.js';

/** What the beginner of a sign-in through a provider shows to complete it. */
export class CompleteFlowBody {
  @ApiProperty({ description: 'Code from the query of `return_to`.', example: 'svc_flow_…' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly code!: string;

  @ApiProperty({
    description: 'Verifier whose SHA-256 was sent as `challenge`.',
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  })
  @IsString()
  @Matches(VERIFIER_FORM, { message: '$property must be 43 to 128 letters, digits, hyphens, dots, _ and ~' })
  readonly verifier!: string;
}
