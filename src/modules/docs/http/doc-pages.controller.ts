import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { DocLayout } from '../doc-layout.js';
import { DocPages } from '../pages/doc-pages.js';
import { DocPictures } from '../pages/doc-pictures.js';
import { DocSearch, type FoundSection } from '../pages/doc-search.js';
import { errorIndex, home, searchResults } from '../pages/listings.js';

/** The documentation for people: all Markdown pages, those of error codes, and a search. */
@ApiExcludeController()
@Controller('docs')
@Public()
export class DocPagesController {
  constructor(
    private readonly layout: DocLayout,
    private readonly pages: DocPages,
    private readonly search: DocSearch,
    private readonly pictures: DocPictures,
  ) {}

  @Get()
  home(@Res() response: Response): void {
    this.layout.sendHtml(response, home(this.pages.sidebar()));
  }

  @Get('search')
  results(@Query('q') question: unknown, @Res() response: Response): void {
    const asked = textOf(question);
    this.layout.sendHtml(response, searchResults(asked, this.search.find(asked)));
  }

  /** What the search field suggests while a reader types. */
  @Get('suggestions')
  suggestions(@Query('q') question: unknown): { data: FoundSection[] } {
    return { data: this.search.find(textOf(question)).slice(0, 8) };
  }

  @Get('errors')
  errors(@Res() response: Response): void {
    this.layout.sendHtml(response, errorIndex(this.pages.errorCodes()));
  }

  /** The page that `docs_url` in each error points to. */
  @Get('errors/:code')
  error(@Param('code') code: string, @Res() response: Response): void {
    this.layout.send(response, this.pages.error(code), `errors/${code}`);
  }

  @Get('pictures/:file')
  picture(@Param('file') file: string, @Res() response: Response): void {
    const { contentType, content } = this.pictures.get(file);
    response.setHeader('Cache-Control', 'public, max-age=3600');
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', content.length);
    response.end(content);
  }

  @Get('*path')
  page(@Param('path') path: readonly string[], @Res() response: Response): void {
    const address = path.join('/');
    this.layout.send(response, this.pages.article(address), address);
  }
}

/** A parameter that is given twice is an array. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
