import { ApiProperty } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { MAX_TEXT_BYTES } from '../retention/kept-text.js';
import type { ShownContent } from '../retention/generation-contents.service.js';

const TRUNCATED = { type: Boolean, description: `True when it was longer than ${MAX_TEXT_BYTES} bytes.` };

class KeptRequestView {
  @ApiProperty({
    example: '{"model":"openai/gpt-mini","messages":[{"role":"user","content":"Hello"}]}',
    description: 'The body of the request as JSON.',
  })
  text!: string;
  @ApiProperty(TRUNCATED) truncated!: boolean;
}

class KeptAnswerView {
  @ApiProperty({ description: 'The body of the answer, as far as the caller got it: JSON, or the events of a stream.' })
  text!: string;
  @ApiProperty(TRUNCATED) truncated!: boolean;
  @ApiProperty({ example: 'application/json' }) content_type!: string;
}

/** The texts of a generation. */
export class GenerationContentView {
  @ApiProperty({ example: 'gen_01jd3m8yeqf5rb0xkq5ym8s6tn' }) generation_id!: string;
  @ApiProperty({ type: KeptRequestView }) request!: KeptRequestView;
  @ApiProperty({ type: KeptAnswerView }) answer!: KeptAnswerView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time', description: 'When it is deleted.' }) expires_at!: string;

  static of(content: ShownContent): GenerationContentView {
    return {
      generation_id: content.generationId,
      request: { text: content.request, truncated: content.requestIsTruncated },
      answer: { text: content.answer, truncated: content.answerIsTruncated, content_type: content.contentType },
      created_at: content.createdAt.toISOString(),
      expires_at: content.expiresAt.toISOString(),
    };
  }
}

export class GenerationContentAnswer {
  @ApiProperty({ type: GenerationContentView }) data!: GenerationContentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
