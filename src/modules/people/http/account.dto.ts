import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class DeleteAccountQuery {
  @ApiProperty({ description: 'Your username, to confirm that you mean your account.', example: 'ada' })
  @IsString()
  @MinLength(1)
  @MaxLength(39)
  readonly username!: string;
}
