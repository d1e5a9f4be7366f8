import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { ARTIFACT_FAULTS, type ArtifactError, type ArtifactFault, type KeptArtifact } from '../domain/artifacts.js';
import { RICH_RESULT_TYPES, type RichResult, type RichResultType } from '../domain/rich-result.js';
import type { SandboxArtifact } from '../persistence/sandbox-artifact.entity.js';

/** What a program shows beside its output. */
export class RichResultView implements RichResult {
  @ApiProperty({ enum: RICH_RESULT_TYPES }) type!: RichResultType;
  @ApiProperty({ description: 'Text; base64 for `image/png` and `image/jpeg`.', example: '<table>…</table>' })
  data!: string;
}

/** A file that a program has left in `/artifacts`. */
export class ArtifactView {
  @ApiProperty({ example: 'art_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ description: 'Relative to `/artifacts`.', example: 'report/chart.png' }) path!: string;
  @ApiProperty({ type: 'integer', example: 2_048 }) size_bytes!: number;
  @ApiProperty({ description: 'By the name of the file.', example: 'image/png' }) type!: string;
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }) sha256!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ id, path, sizeBytes, type, sha256, expiresAt }: KeptArtifact): ArtifactView {
    return { id, path, size_bytes: sizeBytes, type, sha256, expires_at: expiresAt };
  }

  static ofRow({ id, path, sizeBytes, type, sha256, expiresAt }: SandboxArtifact): ArtifactView {
    return ArtifactView.of({
      id,
      path,
      sizeBytes: Number(sizeBytes),
      type,
      sha256: sha256!,
      expiresAt: expiresAt.toISOString(),
    });
  }
}

/** Why a file was not kept. */
export class ArtifactErrorView implements ArtifactError {
  @ApiPropertyOptional({ type: String, description: 'Absent when it concerns all files.', example: 'huge.bin' })
  path?: string;
  @ApiProperty({ enum: Object.keys(ARTIFACT_FAULTS), example: 'too_large' }) code!: ArtifactFault;
  @ApiProperty({ example: ARTIFACT_FAULTS.too_large }) message!: string;
}

export class ArtifactsAnswer {
  @ApiProperty({ type: [ArtifactView] }) data!: ArtifactView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
