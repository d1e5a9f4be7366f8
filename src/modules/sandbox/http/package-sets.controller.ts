import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { RequireScope } from '../../auth/require-scope.js';
import { PackageSetsService } from '../packages/package-sets.service.js';
import { PackageSetsAnswer, PackageSetView } from './package-sets.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox/package-sets')
export class PackageSetsController {
  constructor(private readonly sets: PackageSetsService) {}

  @Get()
  @RequireScope('sandbox:execute')
  @ApiOperation({ summary: 'Lists the sets of packages that executions can use, with their versions.' })
  @ApiOkResponse({ type: PackageSetsAnswer })
  @ApiRefusals(...ANY_CALLER)
  async list(): Promise<Envelope<PackageSetView[]>> {
    return new Envelope((await this.sets.list()).map((set) => PackageSetView.of(set)));
  }
}
