import { Module } from '@nestjs/common';
import { DocsModule } from '../docs.module.js';
import { ApiDocument } from './api-document.js';
import { DocPagesController } from './doc-pages.controller.js';
import { DocsController } from './docs.controller.js';
import { SecurityTxtController } from './security-txt.controller.js';

@Module({
  imports: [DocsModule],
  controllers: [DocsController, SecurityTxtController, DocPagesController],
  providers: [ApiDocument],
  exports: [ApiDocument],
})
export class DocsHttpModule {}
