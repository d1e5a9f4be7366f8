import { PassThrough } from 'node:stream';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  Redirect,
  Req,
  Res,
  Sse,
  StreamableFile,
  type INestApplication,
  type MessageEvent,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request, Response } from 'express';
import { interval, map, take, type Observable } from 'rxjs';
import { FastExpressAdapter } from '../../src/platform/http/fast-express.adapter.js';
import { indexedRoutes } from '../../src/platform/http/route-index.js';

/** Whatever the adapter makes faster must answer just as Express does: these are the cases where it could differ. */
@Controller()
class EdgeController {
  aborted = false;

  @Get('object') object(): object {
    return { a: 1, ü: '✓', nested: { at: new Date(0) }, left: undefined };
  }
  @Get('array') array(): number[] {
    return [1, 2];
  }
  @Get('text') text(): string {
    return 'plain ✓';
  }
  @Get('number') number(): number {
    return 7;
  }
  @Get('nothing') nothing(): void {
    /* answers an empty body */
  }
  @Get('null') null(): null {
    return null;
  }
  @Get('buffer') buffer(@Res() response: Response): void {
    response.type('application/octet-stream').send(Buffer.from([0, 255]));
  }
  @Get('file') file(): StreamableFile {
    return new StreamableFile(Buffer.from('a file'), { type: 'text/x-file' });
  }
  @Get('params/:id/x') params(@Param('id') id: string, @Query('q') q: string | string[]): object {
    return { id, q };
  }
  @Get('own-type') @Header('Content-Type', 'application/vnd.own+json') ownType(): object {
    return { own: true };
  }
  @Get('teapot') @HttpCode(418) teapot(): object {
    return { short: 'stout' };
  }
  @Get('away') @Redirect('/object', 302) away(): void {
    /* the redirect is the answer */
  }
  @Get('events') @Sse() events(): Observable<MessageEvent> {
    return interval(5).pipe(
      take(3),
      map((n) => ({ data: { n } })),
    );
  }
  @Get('ip') ip(@Req() request: Request): object {
    return { ip: request.ip, host: request.hostname, secure: request.secure, is: request.is('json'), xhr: request.xhr };
  }
  @Get('manual') manual(@Res() response: Response): void {
    response.status(201).set('x-own', 'yes').cookie('a', 'b').json({ manual: true });
  }
  @Get('throws') throws(): never {
    throw new Error('no');
  }
  @Post('echo') echo(@Body() body: unknown): object {
    return { body };
  }
  @Get('slow') slow(@Req() request: Request, @Res() response: Response): void {
    const stream = new PassThrough();
    stream.write('begun');
    stream.pipe(response);
    request.on('close', () => {
      this.aborted = true;
    });
  }
}

@Module({ controllers: [EdgeController] })
class EdgeModule {}

describe('the fast adapter', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const adapter = new FastExpressAdapter();
    app = await NestFactory.create(EdgeModule, adapter, { logger: false });
    app.use(indexedRoutes(adapter.getInstance()));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  const get = (path: string, init?: RequestInit): Promise<globalThis.Response> =>
    fetch(url + path, { redirect: 'manual', ...init });

  it('sends objects and lists as JSON with Content-Length', async () => {
    const answer = await get('/object');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
    expect(JSON.parse(bytes.toString())).toEqual({ a: 1, ü: '✓', nested: { at: '1970-01-01T00:00:00.000Z' } });
    expect(await (await get('/array')).json()).toEqual([1, 2]);
  });

  it.each([
    ['/text', 'plain ✓', 'text/html'],
    ['/number', '7', 'text/html'],
    ['/nothing', '', null],
    ['/null', '', null],
  ])('sends %s as Express does', async (path, text, type) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(text);
    if (type !== null) expect(answer.headers.get('content-type')).toContain(type);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const answer = await get('/object', { method: 'HEAD' });
    expect(answer.headers.get('content-length')).toBe((await get('/object')).headers.get('content-length'));
    expect(await answer.text()).toBe('');
  });

  it('sends buffers, files, statuses, headers, cookies and redirects', async () => {
    expect(Buffer.from(await (await get('/buffer')).arrayBuffer())).toEqual(Buffer.from([0, 255]));
    const file = await get('/file');
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/x-file', 'a file']);
    expect((await get('/teapot')).status).toBe(418);
    expect((await get('/own-type')).headers.get('content-type')).toBe('application/vnd.own+json');
    const manual = await get('/manual');
    expect([manual.status, manual.headers.get('x-own'), manual.headers.get('set-cookie')]).toEqual([
      201,
      'yes',
      'a=b; Path=/',
    ]);
    const away = await get('/away');
    expect([away.status, away.headers.get('location')]).toEqual([302, '/object']);
  });

  it('streams events', async () => {
    expect((await (await get('/events')).text()).match(/"n":\d/g)).toEqual(['"n":0', '"n":1', '"n":2']);
  });

  it('keeps the request properties of Express', async () => {
    expect(await (await get('/params/a%20b/x?q=1')).json()).toEqual({ id: 'a b', q: '1' });
    expect(await (await get('/ip')).json()).toEqual({
      ip: '127.0.0.1',
      host: '127.0.0.1',
      secure: false,
      is: null,
      xhr: false,
    });
  });

  it('handles errors and unknown routes', async () => {
    expect((await get('/throws')).status).toBe(500);
    expect((await get('/unknown')).status).toBe(404);
  });

  it('parses bodies', async () => {
    const answer = await get('/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":[1]}',
    });
    expect(await answer.json()).toEqual({ body: { a: [1] } });
  });

  it('notices a caller who disconnects during a response', async () => {
    const caller = new AbortController();
    const answer = await get('/slow', { signal: caller.signal });
    expect(answer.status).toBe(200);
    caller.abort();
    const controller = app.get(EdgeController);
    for (let tries = 0; tries < 100 && !controller.aborted; tries++)
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    expect(controller.aborted).toBe(true);
  });

  it('serves many requests on one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, async () => (await get('/object')).status));
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  it('sends no X-Powered-By and no ETag', async () => {
    const { headers } = await get('/object');
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.has('etag')).toBe(false);
  });
});
