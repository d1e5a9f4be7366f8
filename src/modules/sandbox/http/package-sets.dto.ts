import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { PACKAGE_SETS, type PackageSetName } from '../domain/packages.js';
import { type Language, LANGUAGES } from '../domain/sandbox-runtime.js';
import type { OfferedSet } from '../packages/package-sets.service.js';

class PackageView {
  @ApiProperty({ example: 'numpy' }) name!: string;
  @ApiProperty({ example: '2.4.6' }) version!: string;

  static of(each: string): PackageView {
    const [, name, version] = /^(.+?)(?:==|@)([^@=]+)$/.exec(each)!;
    return { name: name!, version: version! };
  }
}

export class PackageSetView {
  @ApiProperty({ enum: PACKAGE_SETS }) name!: PackageSetName;
  @ApiProperty({ enum: LANGUAGES, isArray: true, description: 'Languages that can use the set.' })
  languages!: Language[];
  @ApiProperty({ type: [PackageView], description: 'Its packages. What they depend on is installed, too.' })
  packages!: PackageView[];
  @ApiProperty({
    enum: ['available', 'installing', 'unavailable'],
    description: 'An execution that names a set which is not available has it installed, if that is possible.',
  })
  state!: 'available' | 'installing' | 'unavailable';
  @ApiPropertyOptional({
    type: String,
    example: 'The package registry pypi.org cannot be reached from this machine.',
    description: 'Why the set is unavailable.',
  })
  reason?: string;

  static of({ name, languages, packages, state }: OfferedSet): PackageSetView {
    return { name, languages: [...languages], packages: packages.map((each) => PackageView.of(each)), ...state };
  }
}

export class PackageSetsAnswer {
  @ApiProperty({ type: [PackageSetView] }) data!: PackageSetView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
