import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import type { Request, Response } from 'express';
import type { RequestServer } from './server-part.js';

export type Era = 'modern' | 'legacy';

interface Exchange<Session> extends Record<string, unknown> {
  readonly session: Session;
  era: Era;
}

/** Answers each message with a server of its own, so that nothing of one caller reaches another. */
export class MessageHandler<Session> {
  private readonly handler: McpHttpHandler;

  constructor(serverOf: (session: Session) => RequestServer) {
    this.handler = createMcpHandler(
      ({ authInfo, era }) => {
        const exchange = authInfo?.extra as unknown as Exchange<Session>;
        exchange.era = era;
        return serverOf(exchange.session);
      },
      // Nothing here changes while a client listens, and an open stream would keep a place of its caller.
      { maxSubscriptions: 0 },
    );
  }

  /**
   * Writes the response, or streams it when a tool reports progress. Resolves when it is over, with the era of the
   * protocol that the message belongs to.
   */
  async answer(request: Request, response: Response, session: Session, clientId: string): Promise<Era> {
    const exchange: Exchange<Session> = { session, era: 'modern' };
    const auth = { token: '', clientId, scopes: [], extra: exchange };
    await toNodeHandler(this.handler)(Object.assign(request, { auth }), response, request.body);
    return exchange.era;
  }
}
