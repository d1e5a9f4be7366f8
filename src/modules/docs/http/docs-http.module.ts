import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocsController } from './docs.controller.js';
import { Pages } from './pages.js';
import { SecurityTxtController } from './security-txt.controller.js';

@Module({
  controllers: [DocsController, SecurityTxtController],
  providers: [ApiDocument, Pages],
  exports: [ApiDocument],
})
export class DocsHttpModule {}
