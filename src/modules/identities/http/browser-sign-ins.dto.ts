import { ApiProperty } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { WaitingSignIn } from '../browser/browser-sign-in-decisions.service.js';

export class WaitingFlowView {
  @ApiProperty({ example: 'bsi_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({
    description: 'What the program calls itself. Nothing proves it.',
    example: 'Command line on ada-laptop',
  })
  client_name!: string;
  @ApiProperty({ description: 'Where the program listens.', example: 'http://127.0.0.1:49152/signed-in' })
  return_to!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ id, clientName, returnTo, createdAt, expiresAt }: WaitingSignIn): WaitingFlowView {
    return {
      id,
      client_name: clientName,
      return_to: returnTo,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    };
  }
}

export class WaitingFlowAnswer {
  @ApiProperty({ type: WaitingFlowView }) data!: WaitingFlowView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DecidedFlowView {
  @ApiProperty({
    description: 'Address of the program, to open in this browser. It has a `code` or an `error` in its query.',
    example: 'http://127.0.0.1:49152/signed-in?code=svc_flow_…',
  })
  redirect_to!: string;
}

export class DecidedFlowAnswer {
  @ApiProperty({ type: DecidedFlowView }) data!: DecidedFlowView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
