import { Module } from '@nestjs/common';
import { DocsHttpModule } from '../modules/docs/http/docs-http.module.js';
import { SandboxHttpModule } from '../modules/sandbox/http/sandbox-http.module.js';

/** Everything that callers of the API reach. The order of the guards is in `edge.module.ts`. */
@Module({ imports: [SandboxHttpModule, DocsHttpModule] })
export class ApiModule {}
