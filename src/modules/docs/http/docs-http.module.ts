import { Global, Module } from '@nestjs/common';
import { ApiDescription } from '../api-description.js';
import { DocsModule } from '../docs.module.js';
import { ApiDocument } from './api-document.js';
import { DocPagesController } from './doc-pages.controller.js';
import { DocsController } from './docs.controller.js';
import { SecurityTxtController } from './security-txt.controller.js';

/** Global, because other surfaces describe the API as well. */
@Global()
@Module({
  imports: [DocsModule],
  controllers: [DocsController, SecurityTxtController, DocPagesController],
  providers: [ApiDocument, { provide: ApiDescription, useExisting: ApiDocument }],
  exports: [ApiDescription, ApiDocument],
})
export class DocsHttpModule {}
