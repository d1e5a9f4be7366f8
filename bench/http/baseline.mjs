/**
 * A server to compare with, as a process of its own: `baseline.mjs http|express|nest`. Each answers the same JSON as
 * the service's `GET /api/v1/me`, which the variable ANSWER holds, and does nothing else: no ids, no limits, no log, no
 * metrics.
 */
import 'reflect-metadata';
import { createServer } from 'node:http';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';

const ANSWER = JSON.parse(process.env.ANSWER);
const answer = () => ANSWER;

const STARTS = {
  http: () =>
    listen(
      createServer((_request, response) => {
        const text = JSON.stringify(answer());
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        });
        response.end(text);
      }),
    ),
  express: () => {
    const app = express();
    app.get('/api/v1/me', (_request, response) => {
      response.json(answer());
    });
    return listen(createServer(app));
  },
  nest: async () => {
    class Hello {
      hello() {
        return answer();
      }
    }
    Get('api/v1/me')(Hello.prototype, 'hello', Object.getOwnPropertyDescriptor(Hello.prototype, 'hello'));
    Controller()(Hello);
    class HelloModule {}
    Module({ controllers: [Hello] })(HelloModule);
    const app = await NestFactory.create(HelloModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    return app.getHttpServer().address().port;
  },
};

const port = await STARTS[process.argv[2]]();
process.on('SIGTERM', () => process.exit(0));
process.stderr.write(`http://127.0.0.1:${port}\n`);

function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}
